import { err, ok, type Result } from "@uncaged/json-schema";

// One row per cause: the sentence, and what helps. Everything that is said of a document ends with exit code 4.

/** The exit code of every fault of a document, of an edit and of a template: the input is at fault. */
export const DOCX_EXIT_CODE = 4;

type Row<Fields> = {
  readonly message: (fields: Fields) => string;
  readonly hint: string;
};

type Nothing = Readonly<Record<never, never>>;
type InPart = { readonly part: string };
type Because = { readonly reason: string };
type InTag = { readonly tag: string };
type AtBlock = { readonly edit: number; readonly block: number };

function row<Fields>(message: (fields: Fields) => string, hint: string): Row<Fields> {
  return { message, hint };
}

const REPAIR = "open it in a word processor, save it again, and use that file";
const SUSPECT = "no word processor writes such a file; do not use it";
const LOOK = "look at the outline of the document, and correct the edit";

export const DOCX_FAULTS = {
  DOCX_NOT_ZIP: row<Nothing>(() => "this is no .docx file: it is no zip", "name a .docx file"),
  DOCX_LEGACY: row<Nothing>(
    () => "this is a document of the format before 2007 (.doc), not a .docx file",
    "save it as .docx",
  ),
  DOCX_NOT_WORD: row<Because>(({ reason }) => `this zip is no Word document: ${reason}`, "name a .docx file"),
  DOCX_PASSWORD: row<Nothing>(() => "the document is protected by a password", "save a copy without one"),
  DOCX_TRUNCATED: row<Nothing>(
    () => "the file is cut off: the end of the zip is missing",
    "get the file again",
  ),
  DOCX_TOO_LARGE: row<{ readonly bytes: number; readonly limit: number }>(
    ({ bytes, limit }) => `the file has ${bytes} bytes, over the limit of ${limit}`,
    "split it, or make its pictures smaller",
  ),
  DOCX_TOO_MANY_PARTS: row<{ readonly parts: number; readonly limit: number }>(
    ({ parts, limit }) => `the document has ${parts} parts, over the limit of ${limit}`,
    SUSPECT,
  ),
  DOCX_BOMB: row<InPart & { readonly bytes: number; readonly limit: number }>(
    ({ part, bytes, limit }) => `${part} would have ${bytes} bytes when inflated, over the limit of ${limit}`,
    SUSPECT,
  ),
  DOCX_SIZE: row<InPart>(({ part }) => `${part} is not as long as the zip says`, SUSPECT),
  DOCX_CHECKSUM: row<InPart>(({ part }) => `${part} is damaged: its checksum is wrong`, "get the file again"),
  DOCX_DAMAGED: row<Because>(({ reason }) => `the zip is damaged: ${reason}`, "get the file again"),
  DOCX_ZIP_KIND: row<Because>(({ reason }) => `the zip is of an unusual kind: ${reason}`, REPAIR),
  DOCX_DUPLICATE: row<InPart>(
    ({ part }) => `two parts are called ${part}, or differ in upper and lower case only`,
    SUSPECT,
  ),
  DOCX_NAME_PARENT: row<InPart>(({ part }) => `a part leads out of its folder: ${part}`, SUSPECT),
  DOCX_NAME_BACKSLASH: row<InPart>(({ part }) => `a part has a backslash in its name: ${part}`, SUSPECT),
  DOCX_NAME_ABSOLUTE: row<InPart>(({ part }) => `a part has an absolute name: ${part}`, SUSPECT),
  DOCX_NAME: row<InPart>(({ part }) => `a part has a name that no part can have: ${part}`, SUSPECT),
  DOCX_LINK: row<InPart>(({ part }) => `a part is a link in the file system: ${part}`, SUSPECT),
  DOCX_OVERLAP: row<InPart>(({ part }) => `${part} shares its bytes with another part`, SUSPECT),
  DOCX_XML_DTD: row<InPart>(({ part }) => `${part} has a document type declaration`, SUSPECT),
  DOCX_XML_ENTITY: row<InPart & { readonly entity: string }>(
    ({ part, entity }) => `${part} uses the entity ${entity}`,
    SUSPECT,
  ),
  DOCX_XML_ENCODING: row<InPart>(({ part }) => `${part} is not UTF-8`, REPAIR),
  DOCX_XML_DEPTH: row<InPart & { readonly limit: number }>(
    ({ part, limit }) => `${part} has more than ${limit} elements inside of each other`,
    SUSPECT,
  ),
  DOCX_XML_LARGE: row<InPart & { readonly limit: number }>(
    ({ part, limit }) => `${part} has more than ${limit} elements`,
    "split the document",
  ),
  DOCX_XML_DAMAGED: row<InPart & Because>(({ part, reason }) => `${part} is damaged XML: ${reason}`, REPAIR),
  DOCX_XML_NAMESPACE: row<InPart & { readonly prefix: string }>(
    ({ part, prefix }) => `${part} gives the prefix ${prefix} another meaning than every word processor does`,
    REPAIR,
  ),
  DOCX_MACRO: row<InPart>(
    ({ part }) => `the document has macros (${part})`,
    "save it as .docx, without macros",
  ),
  DOCX_OLE: row<InPart>(
    ({ part }) => `the document embeds an object of another program (${part})`,
    "replace the object by a picture",
  ),
  DOCX_FOREIGN: row<InPart>(
    ({ part }) => `the document embeds a file of another format as text (${part})`,
    REPAIR,
  ),
  DOCX_DDE: row<InPart>(({ part }) => `a field in ${part} starts another program (DDE)`, "remove the field"),
  DOCX_EXTERNAL_IMAGE: row<InPart & { readonly target: string }>(
    ({ part, target }) => `${part} loads a picture from elsewhere: ${target}`,
    "insert the picture itself",
  ),
  DOCX_EXTERNAL_TEMPLATE: row<InPart & { readonly target: string }>(
    ({ part, target }) => `${part} loads a template from elsewhere: ${target}`,
    "detach the template",
  ),
  DOCX_EXTERNAL: row<InPart & { readonly target: string }>(
    ({ part, target }) => `${part} loads something from elsewhere: ${target}`,
    "insert its content itself",
  ),
  DOCX_LINK_SCRIPT: row<InPart & { readonly target: string }>(
    ({ part, target }) => `a link in ${part} runs code: ${target}`,
    "remove the link",
  ),
  DOCX_LINK_FILE: row<InPart & { readonly target: string }>(
    ({ part, target }) => `a link in ${part} leads to a file of the reader's machine or network: ${target}`,
    "remove the link",
  ),
  DOCX_LINK_SCHEME: row<InPart & { readonly target: string }>(
    ({ part, target }) => `a link in ${part} is neither to the web nor to mail: ${target}`,
    "remove the link",
  ),
  DOCX_EDIT_SHAPE: row<{ readonly edit: number } & Because>(
    ({ edit, reason }) => `edit ${edit} cannot be understood: ${reason}`,
    "give op, block, expect and what the operation needs",
  ),
  DOCX_TOO_MANY_EDITS: row<{ readonly edits: number; readonly limit: number }>(
    ({ edits, limit }) => `${edits} edits are over the limit of ${limit}`,
    "make fewer edits, or a new document",
  ),
  DOCX_NO_BLOCK: row<AtBlock & { readonly blocks: number }>(
    ({ edit, block, blocks }) =>
      `edit ${edit}: there is no block ${block}; the document has blocks 1 to ${blocks}`,
    LOOK,
  ),
  DOCX_EXPECT: row<AtBlock & { readonly expected: string; readonly found: string }>(
    ({ edit, block, expected, found }) =>
      `edit ${edit}: block ${block} was expected to say ${JSON.stringify(expected)}, and says ${JSON.stringify(found)}`,
    LOOK,
  ),
  DOCX_TEXT_MISSING: row<AtBlock & { readonly text: string; readonly found: string }>(
    ({ edit, block, text, found }) =>
      `edit ${edit}: ${JSON.stringify(text)} is not in block ${block}, which says ${JSON.stringify(found)}`,
    LOOK,
  ),
  DOCX_TEXT_TWICE: row<AtBlock & { readonly text: string; readonly times: number; readonly found: string }>(
    ({ edit, block, text, times, found }) =>
      `edit ${edit}: ${JSON.stringify(text)} is ${times} times in block ${block}, which says ${JSON.stringify(found)}`,
    "name more of the text, so that it is there once",
  ),
  DOCX_BLOCK_KIND: row<AtBlock & { readonly wanted: string; readonly kind: string; readonly found: string }>(
    ({ edit, block, wanted, kind, found }) =>
      `edit ${edit} is for a ${wanted}; block ${block} is a ${kind}: ${JSON.stringify(found)}`,
    LOOK,
  ),
  DOCX_NO_CELL: row<
    AtBlock & { readonly row: number; readonly column: number; readonly rows: readonly number[] }
  >(
    ({ edit, block, row: line, column, rows }) =>
      `edit ${edit}: the table of block ${block} has no cell in row ${line}, column ${column}; ` +
      `its ${rows.length} rows have ${[...new Set(rows)].join(" or ")} cells`,
    LOOK,
  ),
  DOCX_NO_STYLE: row<AtBlock & { readonly style: string; readonly styles: readonly string[] }>(
    ({ edit, style, styles }) =>
      `edit ${edit}: the document has no paragraph style ${style}; it has ${styles.join(", ")}`,
    "take one of these",
  ),
  DOCX_EDIT_CONFLICT: row<AtBlock & { readonly other: number; readonly found: string }>(
    ({ edit, block, other, found }) =>
      `edit ${edit} and edit ${other} change the same text of block ${block}: ${JSON.stringify(found)}`,
    "make one edit of the two",
  ),
  DOCX_NOT_TEXT: row<AtBlock & { readonly what: string; readonly found: string }>(
    ({ edit, block, what, found }) =>
      `edit ${edit} would change ${what} of block ${block}: ${JSON.stringify(found)}`,
    "change only the text beside it (replaceText), or delete the block",
  ),
  DOCX_TRACKED: row<AtBlock & { readonly found: string }>(
    ({ edit, block, found }) => `edit ${edit}: block ${block} has tracked changes: ${JSON.stringify(found)}`,
    "accept or reject them first",
  ),
  DOCX_LAST_PARAGRAPH: row<AtBlock & { readonly found: string }>(
    ({ edit, block, found }) =>
      `edit ${edit}: block ${block} is the only one, and cannot be deleted: ${JSON.stringify(found)}`,
    "set another text",
  ),
  DOCX_BLOCK_SHAPE: row<{ readonly block: number } & Because>(
    ({ block, reason }) => `block ${block} cannot be understood: ${reason}`,
    "give kind (heading, paragraph, list or table) and what that kind needs",
  ),
  DOCX_UNPROVEN: row<Because>(
    ({ reason }) => `the difference cannot be written as tracked changes: ${reason}`,
    "ask for json, html or text instead",
  ),
  DOCX_TEMPLATE: row<Because>(
    ({ reason }) => `the template is not sound: ${reason}`,
    "correct the tags of the template",
  ),
  DOCX_TEMPLATE_UNCLOSED: row<InTag>(
    ({ tag }) => `the template has ${JSON.stringify(`{${tag}`)} and no } behind it`,
    "end the tag with }",
  ),
  DOCX_TEMPLATE_UNOPENED: row<InTag>(
    ({ tag }) => `the template has ${JSON.stringify(`${tag}}`)} and no { before it`,
    "begin the tag with {",
  ),
  DOCX_TEMPLATE_DOUBLE: row<InTag>(
    ({ tag }) => `the template has two braces in a row at ${JSON.stringify(tag)}`,
    "write tags with single braces: {name}",
  ),
  DOCX_TEMPLATE_LOOP_UNCLOSED: row<InTag>(
    ({ tag }) => `nothing ends what {#${tag}} or {^${tag}} of the template begins`,
    "end it with {/} and the name",
  ),
  DOCX_TEMPLATE_LOOP_UNOPENED: row<InTag>(
    ({ tag }) => `nothing begins what {/${tag}} of the template ends`,
    "begin it with {#} and the name",
  ),
  DOCX_TEMPLATE_LOOP_NAME: row<InTag & { readonly other: string }>(
    ({ tag, other }) => `the template begins {#${tag}} and ends it with {/${other}}`,
    "give both the same name, and end what begins last first",
  ),
  DOCX_TEMPLATE_LOOP_PLACE: row<InTag>(
    ({ tag }) => `{#${tag}} of the template begins in one cell, row or table, and ends in another`,
    "begin and end it in one cell, in one row, or in paragraphs of their own around the table",
  ),
  DOCX_TEMPLATE_RAW: row<InTag>(
    ({ tag }) => `the template has {${tag}}, which would let data be XML`,
    "write the tag without @",
  ),
  DOCX_TEMPLATE_KIND: row<InTag>(
    ({ tag }) => `the template has ${JSON.stringify(`{${tag}}`)}, which is no tag that is known`,
    "take {name}, {#name}, {^name} or {/name}; names have letters, digits, _, - and spaces",
  ),
  DOCX_TEMPLATE_VALUE: row<InTag & { readonly names: readonly string[] }>(
    ({ tag, names }) =>
      `the data has no value for {${tag}}; ${names.length === 0 ? "there are none" : `it has ${names.join(", ")}`}`,
    "add the value; an empty text is one",
  ),
  DOCX_TEMPLATE_TEXT: row<InTag & { readonly kind: string }>(
    ({ tag, kind }) => `the value of {${tag}} is ${kind}, and no text`,
    "give a text, a number, true or false; write {#name}…{/name} around what is there for each item of a list",
  ),
  DOCX_TEMPLATE_CHARACTER: row<InTag>(
    ({ tag }) => `the value of {${tag}} has a character that no document can have`,
    "remove control characters",
  ),
  DOCX_TEMPLATE_DATA: row<{ readonly path: string } & Because>(
    ({ path, reason }) => `the data is not JSON${path === "" ? "" : ` at ${path}`}: ${reason}`,
    "give an object of texts, numbers, lists and objects",
  ),
  DOCX_TEMPLATE_LARGE: row<{ readonly limit: number }>(
    ({ limit }) => `the filled template would have more than ${limit} characters`,
    "make several documents",
  ),
} as const;

export type DocxCode = keyof typeof DOCX_FAULTS;

type DocxFaultOf<Code extends DocxCode> = { readonly code: Code } & Parameters<
  (typeof DOCX_FAULTS)[Code]["message"]
>[0];

/** Why a document, an edit or a template is refused. Nothing has been written then. */
export type DocxFault = { [Code in DocxCode]: DocxFaultOf<Code> }[DocxCode];

export function docxFault<Code extends DocxCode>(
  code: Code,
  fields: Omit<DocxFaultOf<Code>, "code">,
): DocxFault {
  return { code, ...fields } as unknown as DocxFault;
}

export function docxMessage(fault: DocxFault): string {
  return rowOf(fault).message(fault);
}

export function docxHint(fault: DocxFault): string {
  return rowOf(fault).hint;
}

// The row of a code takes exactly that code's fields; TypeScript cannot correlate the two through a union.
function rowOf(fault: DocxFault): Row<DocxFault> {
  return DOCX_FAULTS[fault.code] as unknown as Row<DocxFault>;
}

/** Carries a fault out of nested code of one function, which turns it into a Result. */
export class Refused extends Error {
  readonly fault: DocxFault;
  constructor(fault: DocxFault) {
    super(docxMessage(fault));
    this.fault = fault;
  }
}

export function refuse<Code extends DocxCode>(code: Code, fields: Omit<DocxFaultOf<Code>, "code">): never {
  throw new Refused(docxFault(code, fields));
}

/** What `run` gives, or the fault with which it was refused. A bug still throws. */
export function attempt<T>(run: () => T): Result<T, DocxFault> {
  try {
    return ok(run());
  } catch (error) {
    if (error instanceof Refused) return err(error.fault);
    throw error;
  }
}
