import type { Result } from "@uncaged/json-schema";
import { attempt, type DocxFault, refuse } from "./fault.js";
import { parseXml } from "./parse-xml.js";
import {
  attribute,
  attributesOf,
  element,
  elementsOf,
  localName,
  textIn,
  visit,
  withChildren,
  writeXml,
  type XmlElement,
} from "./xml.js";
import { isXml, readZip, writeZip } from "./zip.js";

/** A Word document that has been checked. It is never changed: an edit gives another one. */
export type Document = {
  /** Name → content, as in the zip. */
  readonly parts: ReadonlyMap<string, Uint8Array>;
  /** The part with the text, usually `word/document.xml`. */
  readonly main: string;
};

/** Opens a document, and refuses one that is damaged, or that is no more than text, pictures and links to the web. */
export function openDocument(bytes: Uint8Array): Result<Document, DocxFault> {
  return attempt(() => {
    const parts = readZip(bytes);
    const main = mainPart(parts);
    assertNames(parts.keys());
    const document = { parts, main };
    for (const name of parts.keys()) {
      if (!isXml(name)) continue;
      const root = treeOf(document, name);
      if (name.toLowerCase().endsWith(".rels"))
        for (const one of parseRelationships(root, name)) assertRelationship(one, name);
      else if (name !== CONTENT_TYPES) assertContent(root, name);
    }
    assertContentTypes(treeOf(document, CONTENT_TYPES), main);
    if (treeOf(document, main).name !== "w:document")
      refuse("DOCX_NOT_WORD", { reason: `${main} is no document` });
    return document;
  });
}

/** The document as a file. Equal documents give equal bytes; parts that no edit has changed are as they were. */
export function saveDocument({ parts }: Document): Uint8Array {
  return writeZip(parts);
}

function mainPart(parts: ReadonlyMap<string, Uint8Array>): string {
  const [types, top] = [parts.get(CONTENT_TYPES), parts.get("_rels/.rels")];
  if (types === undefined || top === undefined)
    return refuse("DOCX_NOT_WORD", {
      reason: `${types === undefined ? CONTENT_TYPES : "_rels/.rels"} is missing`,
    });
  const found = parseRelationships(parseXml(top, "_rels/.rels"), "_rels/.rels");
  const main = found.find(({ kind, isExternal }) => kind === "officeDocument" && !isExternal)?.target;
  if (main === undefined || !parts.has(main) || !isXml(main))
    return refuse("DOCX_NOT_WORD", { reason: "its main part is missing" });
  return main;
}

// Parsed once per content: opening has to look at every part anyway, and contents are never changed.
const trees = new WeakMap<Uint8Array, XmlElement>();

/** A part that is there. */
export function treeOf({ parts }: Pick<Document, "parts">, name: string): XmlElement {
  const bytes = parts.get(name);
  if (bytes === undefined) throw new Error(`there is no part ${name}`);
  const known = trees.get(bytes);
  if (known !== undefined) return known;
  const parsed = parseXml(bytes, name);
  trees.set(bytes, parsed);
  return parsed;
}

/** The same document with another content of a part. */
export function withTree(document: Document, name: string, root: XmlElement): Document {
  const content = writeXml(root);
  trees.set(content, root);
  return withPart(document, name, content);
}

export function withPart(document: Document, name: string, content: Uint8Array): Document {
  return { ...document, parts: new Map([...document.parts, [name, content]]) };
}

/** What a part refers to, by id. */
export function relationshipsOf(document: Document, part: string): ReadonlyMap<string, Relationship> {
  const name = relationshipsPart(part);
  if (!document.parts.has(name)) return new Map();
  return new Map(parseRelationships(treeOf(document, name), name).map((one) => [one.id, one]));
}

/** The part of a kind that the main part refers to: `styles`, `footnotes`, `numbering`. */
export function relatedPart(document: Document, kind: string): string | null {
  for (const one of relationshipsOf(document, document.main).values())
    if (one.kind === kind && !one.isExternal && document.parts.has(one.target)) return one.target;
  return null;
}

export const CONTENT_TYPES = "[Content_Types].xml";

const MAIN = /wordprocessingml\.(document|template)\.main\+xml$/;

/** The type of a part: its own, or that of its ending. */
export function contentTypeOf(types: XmlElement, part: string): string | null {
  const own = elementsOf(types).find(
    (one) =>
      localName(one) === "Override" &&
      (attribute(one, "PartName") ?? "").toLowerCase() === `/${part.toLowerCase()}`,
  );
  if (own !== undefined) return attribute(own, "ContentType");
  const ending = part.slice(part.lastIndexOf(".") + 1).toLowerCase();
  const byEnding = elementsOf(types).find(
    (one) => localName(one) === "Default" && (attribute(one, "Extension") ?? "").toLowerCase() === ending,
  );
  return byEnding === undefined ? null : attribute(byEnding, "ContentType");
}

/** Refuses macros, and a main part that is no Word document. */
function assertContentTypes(types: XmlElement, main: string): void {
  for (const one of elementsOf(types)) {
    const type = attribute(one, "ContentType") ?? "";
    if (/macroenabled|vbaproject|vbadata/i.test(type))
      refuse("DOCX_MACRO", { part: attribute(one, "PartName")?.slice(1) ?? CONTENT_TYPES });
  }
  const type = contentTypeOf(types, main) ?? "";
  if (!MAIN.test(type))
    refuse("DOCX_NOT_WORD", { reason: `its main part is ${type === "" ? "of no type" : type}` });
}

/** The same with the type of another part. */
export function withContentType(types: XmlElement, part: string, type: string): XmlElement {
  if (contentTypeOf(types, part) === type) return types;
  const prefix = types.name.slice(0, types.name.indexOf(":") + 1);
  const line = element(`${prefix}Override`, ["PartName", `/${part}`, "ContentType", type], []);
  return withChildren(types, [...types.children, line]);
}

/** What a part refers to by an id. `target` of an internal one is the name of a part. */
export type Relationship = {
  readonly id: string;
  /** The address that says what kind it is; `kind` is its last word (`image`, `hyperlink`). */
  readonly type: string;
  readonly kind: string;
  readonly target: string;
  readonly isExternal: boolean;
};

/** `word/document.xml` → `word/_rels/document.xml.rels`; of the package itself: `""`. */
export function relationshipsPart(part: string): string {
  const slash = part.lastIndexOf("/") + 1;
  return `${part.slice(0, slash)}_rels/${part.slice(slash)}.rels`;
}

/** `word/_rels/document.xml.rels` → `word/document.xml`. */
export function sourceOf(relationships: string): string {
  return relationships.replace(/(^|\/)_rels\/([^/]*)\.rels$/, "$1$2");
}

function parseRelationships(root: XmlElement, part: string): readonly Relationship[] {
  const source = sourceOf(part);
  return elementsOf(root)
    .filter((one) => localName(one) === "Relationship")
    .map((one) => {
      const type = attribute(one, "Type") ?? "";
      const target = attribute(one, "Target") ?? "";
      const isExternal = (attribute(one, "TargetMode") ?? "").toLowerCase() === "external";
      return {
        id: attribute(one, "Id") ?? "",
        type,
        kind: type.slice(type.lastIndexOf("/") + 1),
        target: isExternal ? target : resolvePart(source, target),
        isExternal,
      };
    });
}

/** The name of a part that a relationship of `source` leads to. */
function resolvePart(source: string, target: string): string {
  const from = target.startsWith("/") ? [] : source.split("/").slice(0, -1);
  const path = [...from];
  for (const step of target.split("/")) {
    if (step === "..") path.pop();
    else if (step !== "" && step !== ".") path.push(step);
  }
  return path.join("/");
}

/** How a relationship of `source` names a part: relative, as word processors do. */
export function targetFrom(source: string, part: string): string {
  const folder = source.slice(0, source.lastIndexOf("/") + 1);
  return folder !== "" && part.startsWith(folder) ? part.slice(folder.length) : `/${part}`;
}

/** Fields that load what is not in the document. */
const LOADING = new Set(["INCLUDETEXT", "INCLUDEPICTURE", "INCLUDE", "IMPORT", "LINK", "RD", "DATABASE"]);

/** Refuses fields of a part that start programs or load files. An instruction may be spread over many runs. */
function assertFields(root: XmlElement, part: string): void {
  const open: { instruction: string; isResult: boolean }[] = [];
  visit(root, (one) => {
    if (one.name === "w:fldSimple") return assertInstruction(attribute(one, "w:instr") ?? "", part);
    const innermost = open.at(-1);
    if (one.name === "w:instrText" || one.name === "w:delInstrText") {
      if (innermost !== undefined) innermost.instruction += textIn(one);
      else assertInstruction(textIn(one), part);
    }
    if (one.name !== "w:fldChar") return;
    const type = attribute(one, "w:fldCharType");
    if (type === "begin") {
      // Another field would say which field this is.
      const isComputed = innermost?.isResult === false && innermost.instruction.trim() === "";
      if (isComputed) refuse("DOCX_DDE", { part });
      open.push({ instruction: "", isResult: false });
    } else if (innermost !== undefined) {
      if (!innermost.isResult) assertInstruction(innermost.instruction, part);
      innermost.isResult = true;
      if (type === "end") open.pop();
    }
  });
  for (const { instruction } of open) assertInstruction(instruction, part);
}

function assertInstruction(instruction: string, part: string): void {
  const [, raw = "", rest = ""] = /^\s*([^\s"\\]+)([\s\S]*)$/.exec(instruction) ?? [];
  const name = raw.toUpperCase();
  if (name === "DDE" || name === "DDEAUTO") refuse("DOCX_DDE", { part });
  if (name === "EMBED") refuse("DOCX_OLE", { part });
  if (LOADING.has(name)) refuse("DOCX_EXTERNAL", { part, target: instruction.trim() });
  if (name === "HYPERLINK") {
    const [, quoted, bare] = /^\s*(?:"((?:[^"\\]|\\.)*)"|([^\s\\"]\S*))/.exec(rest) ?? [];
    const target = quoted?.replace(/\\(.)/g, "$1") ?? bare;
    if (target !== undefined && target !== "") assertLink(target, part);
  }
}

/** Refuses parts that are programs, by their names. */
function assertNames(names: Iterable<string>): void {
  for (const part of names) {
    if (/(^|\/)(vbaproject[^/]*\.bin|vbadata\.xml)$/i.test(part)) refuse("DOCX_MACRO", { part });
    if (/(^|\/)(activex|embeddings)\/[^/]*\.(bin|ole)$/i.test(part)) refuse("DOCX_OLE", { part });
  }
}

/** Refuses a relationship that loads something from elsewhere, or that leads to a program. */
function assertRelationship({ kind, target, isExternal }: Relationship, part: string): void {
  const what = kind.toLowerCase();
  if (what === "vbaproject" || what === "wordvbadata") refuse("DOCX_MACRO", { part });
  if (what === "oleobject" || what === "control" || what === "activexcontrolbinary")
    refuse("DOCX_OLE", { part });
  if (what === "afchunk") refuse("DOCX_FOREIGN", { part });
  if (!isExternal) return;
  if (what === "hyperlink") assertLink(target, part);
  else if (what === "image") refuse("DOCX_EXTERNAL_IMAGE", { part, target });
  else if (what === "attachedtemplate") refuse("DOCX_EXTERNAL_TEMPLATE", { part, target });
  else refuse("DOCX_EXTERNAL", { part, target });
}

/** Refuses what the text of a part would do. */
function assertContent(root: XmlElement, part: string): void {
  visit(root, (one) => {
    if (one.name === "o:OLEObject" || one.name === "w:control") refuse("DOCX_OLE", { part });
    if (one.name === "w:altChunk") refuse("DOCX_FOREIGN", { part });
    // The older format of drawings names addresses in attributes.
    if (!one.name.startsWith("v:")) return;
    for (const [name, value] of attributesOf(one)) {
      if (name === "src" && value !== "") refuse("DOCX_EXTERNAL_IMAGE", { part, target: value });
      if (name === "href" || name === "o:href") assertLink(value, part);
    }
  });
  assertFields(root, part);
}

const HARMLESS = new Set(["http", "https", "mailto", "tel", "sms", "ftp", "ftps"]);
const SCRIPTS = new Set(["javascript", "vbscript", "data", "jscript", "livescript"]);

/** Refuses a link that would do more than lead a reader to the web or to mail. */
function assertLink(target: string, part: string): void {
  // A reader skips white space and control characters inside of an address.
  const address = target.replace(/[\0-\x20\x7f-\xa0\u00ad\u200b-\u200f\u2028-\u202e\ufeff]/g, "");
  const [, scheme] = /^([a-z][a-z\d+.-]*):/i.exec(address) ?? [];
  if (scheme === undefined) {
    if (/^(\/|\\)/.test(address)) refuse("DOCX_LINK_FILE", { part, target });
    return;
  }
  const lower = scheme.toLowerCase();
  if (SCRIPTS.has(lower)) refuse("DOCX_LINK_SCRIPT", { part, target });
  // One letter is a drive.
  if (lower === "file" || lower.length === 1) refuse("DOCX_LINK_FILE", { part, target });
  if (!HARMLESS.has(lower)) refuse("DOCX_LINK_SCHEME", { part, target });
}
