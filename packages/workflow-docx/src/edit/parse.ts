import { refuse } from "../fault.js";
import { isPartOfField, readParagraph } from "../inline.js";
import { LIMITS } from "../limits.js";
import { type OutlineBlock, type ParagraphStyle, rowsOf } from "../outline.js";
import { isXmlText } from "../parse-xml.js";
import { textOf } from "../text.js";
import { childOf, elementsOf, visit, type XmlElement } from "../xml.js";

type AtBlock = {
  /** The number of the block in the outline of the document as it is given: edits do not move blocks for each other. */
  readonly block: number;
  /**
   * The text that stands there, as the outline has it; for a cell the cell's. White space counts once. A text that
   * ends in `…` is how the text there begins.
   */
  readonly expect: string;
};

/**
 * One change of a document. In new texts `**…**` is bold. An end of a line begins another paragraph in inserted
 * blocks and in cells, and another line elsewhere.
 */
export type Edit =
  /** `find` has to be there once. */
  | (AtBlock & { readonly op: "replaceText"; readonly find: string; readonly text: string })
  | (AtBlock & { readonly op: "setText"; readonly text: string })
  /** `style`: of the new paragraphs; `null`: as the block is, or plain text at headings and tables. */
  | (AtBlock & {
      readonly op: "insertBefore" | "insertAfter";
      readonly text: string;
      readonly style: string | null;
    })
  | (AtBlock & { readonly op: "delete" })
  /** The id or the name of a style. */
  | (AtBlock & { readonly op: "setStyle"; readonly style: string })
  /** Rows and columns count from 1. */
  | (AtBlock & {
      readonly op: "setCell";
      readonly row: number;
      readonly column: number;
      readonly text: string;
    });

/** An edit with its number, from 1. */
export type Numbered<T extends Edit = Edit> = T & { readonly edit: number };

type Kind = "string" | "count" | "style";

const SHARED: Readonly<Record<string, Kind>> = { block: "count", expect: "string" };

/** What each operation needs besides its block. */
const FIELDS: Readonly<Record<Edit["op"], Readonly<Record<string, Kind>>>> = {
  replaceText: { find: "string", text: "string" },
  setText: { text: "string" },
  insertBefore: { text: "string", style: "style" },
  insertAfter: { text: "string", style: "style" },
  delete: {},
  setStyle: { style: "string" },
  setCell: { row: "count", column: "count", text: "string" },
};

/** A list of edits from anywhere, for example from a model. Throws `Refused`. */
export function parseEdits(value: unknown): readonly Numbered[] {
  if (!Array.isArray(value)) return refuse("DOCX_EDIT_SHAPE", { edit: 1, reason: "edits are a list" });
  if (value.length > LIMITS.edits)
    refuse("DOCX_TOO_MANY_EDITS", { edits: value.length, limit: LIMITS.edits });
  let characters = 0;
  return value.map((one: unknown, index) => {
    const edit = parseEdit(one, index + 1);
    for (const field of Object.values(edit)) characters += typeof field === "string" ? field.length : 0;
    if (characters > LIMITS.editText)
      refuse("DOCX_EDIT_SHAPE", {
        edit: edit.edit,
        reason: `with it the texts have more than ${LIMITS.editText} characters`,
      });
    return edit;
  });
}

function parseEdit(value: unknown, edit: number): Numbered {
  const wrong = (reason: string): never => refuse("DOCX_EDIT_SHAPE", { edit, reason });
  if (typeof value !== "object" || value === null || Array.isArray(value)) return wrong("it is no object");
  const given = value as Readonly<Record<string, unknown>>;
  const { op } = given;
  if (typeof op !== "string" || !Object.hasOwn(FIELDS, op))
    return wrong(`op is one of ${Object.keys(FIELDS).join(", ")}`);
  const fields = { ...SHARED, ...FIELDS[op as Edit["op"]] };
  const unknown = Object.keys(given).find((key) => key !== "op" && !Object.hasOwn(fields, key));
  if (unknown !== undefined) wrong(`${op} has no field ${JSON.stringify(unknown)}`);
  const read = Object.entries(fields).map(([name, kind]) => {
    const found = given[name];
    if (kind === "style" && (found === undefined || found === null)) return [name, null];
    if (kind === "count" && !(Number.isSafeInteger(found) && Number(found) >= 1))
      wrong(`${name} is a whole number from 1`);
    if (kind !== "count" && typeof found !== "string") wrong(`${name} is a text`);
    if (typeof found === "string" && !isXmlText(found))
      wrong(`${name} has a character that no document can have`);
    return [name, typeof found === "string" ? found.replace(/\r\n?/g, "\n") : found];
  });
  const parsed = { ...Object.fromEntries(read), op, edit } as Numbered;
  if (parsed.op === "replaceText" && parsed.find === "") wrong("find is empty");
  return parsed;
}

/** A block with what the outline says of it. */
export type Target = {
  readonly one: XmlElement;
  readonly seen: OutlineBlock;
  /** Its text with single spaces. */
  readonly plain: string;
  readonly isTracked: boolean;
};

export function targetFrom(one: XmlElement, seen: OutlineBlock): Target {
  let isTracked = false;
  visit(one, ({ name }) => {
    isTracked ||= TRACKED.has(name);
  });
  return { one, seen, plain: plain(seen.text), isTracked };
}

function plain(text: string): string {
  return text.replace(/[\s\u00a0]+/g, " ").trim();
}

/** White space counts once, and a text that ends in `…` is a beginning. */
function isExpected(expected: string, found: string): boolean {
  const wanted = plain(expected);
  const [, beginning] = /^(.*\S) ?(?:\u2026|\.\.\.)$/s.exec(wanted) ?? [];
  return wanted === found || (beginning !== undefined && found.startsWith(beginning));
}

const TRACKED = new Set(["w:ins", "w:del", "w:moveFrom", "w:moveTo", "w:pPrChange", "w:rPrChange"]);

/** Everything about one edit that does not depend on the others. Throws `Refused`. */
export function checkEdit(edit: Numbered, target: Target, styles: ReadonlyMap<string, ParagraphStyle>): void {
  const { one, seen } = target;
  const at = { edit: edit.edit, block: edit.block, found: seen.text };
  const found = edit.op === "setCell" ? textOf(cellOf(edit, target)) : seen.text;
  if (!isExpected(edit.expect, edit.op === "setCell" ? plain(found) : target.plain))
    refuse("DOCX_EXPECT", { ...at, expected: edit.expect, found });
  if ("style" in edit && edit.style !== null) styleOf(edit, edit.style, styles);
  if (edit.op === "insertBefore" || edit.op === "insertAfter") return;
  if (target.isTracked) refuse("DOCX_TRACKED", at);
  if (edit.op === "delete") {
    assertRemovable(edit, one, seen);
    return;
  }
  if (edit.op !== "setCell" && one.name !== "w:p")
    refuse("DOCX_BLOCK_KIND", { ...at, wanted: "paragraph", kind: seen.kind });
  if (edit.op === "setText") assertOnlyText(edit, one, seen.text);
  if (edit.op === "setCell") {
    const cell = cellOf(edit, target);
    if (elementsOf(cell).some(({ name }) => !["w:p", "w:tcPr"].includes(name)))
      refuse("DOCX_NOT_TEXT", {
        ...at,
        what: "a table, or something else that is no paragraph, in the cell",
        found,
      });
    for (const paragraph of elementsOf(cell))
      if (paragraph.name === "w:p") assertOnlyText(edit, paragraph, found);
  }
}

function assertRemovable(edit: Numbered, one: XmlElement, { text }: OutlineBlock): void {
  const at = { edit: edit.edit, block: edit.block, found: text };
  const properties = childOf(one, "w:pPr");
  if (properties !== null && childOf(properties, "w:sectPr") !== null)
    refuse("DOCX_NOT_TEXT", { ...at, what: "the end of a section, which is part" });
  if (one.name === "w:p" && isPartOfField(one))
    refuse("DOCX_NOT_TEXT", { ...at, what: "a field that goes on in another block, which is part" });
}

function assertOnlyText(edit: Numbered, paragraph: XmlElement, found: string): void {
  const object = readParagraph(paragraph).find(({ kind, text }) => kind === "object" && text !== "");
  if (object === undefined && !isPartOfField(paragraph)) return;
  const what = `a field or a formula (${JSON.stringify(object?.text ?? "")}), which is part`;
  refuse("DOCX_NOT_TEXT", { edit: edit.edit, block: edit.block, what, found });
}

/** The cell that an edit names. */
export function cellOf(edit: Numbered<Extract<Edit, { op: "setCell" }>>, { one, seen }: Target): XmlElement {
  const { block, row, column } = edit;
  if (seen.rows === null)
    return refuse("DOCX_BLOCK_KIND", {
      edit: edit.edit,
      block,
      wanted: "table",
      kind: seen.kind,
      found: seen.text,
    });
  const cell = rowsOf(one)[row - 1]?.[column - 1];
  const rows = seen.rows.map((cells) => cells.length);
  return cell ?? refuse("DOCX_NO_CELL", { edit: edit.edit, block, row, column, rows });
}

/** The id of a style, which may be named by its id or as a word processor does. */
export function styleOf(edit: Numbered, named: string, styles: ReadonlyMap<string, ParagraphStyle>): string {
  const lower = named.toLowerCase();
  const found =
    styles.get(named) ??
    [...styles.values()].find(({ id, name }) => id.toLowerCase() === lower || name.toLowerCase() === lower);
  if (found !== undefined) return found.id;
  return refuse("DOCX_NO_STYLE", {
    edit: edit.edit,
    block: edit.block,
    style: JSON.stringify(named),
    styles: [...styles.keys()],
  });
}
