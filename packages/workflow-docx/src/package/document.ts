import type { Result } from "@uncaged/json-schema";
import { attempt } from "../attempt.js";
import { type DocxFault, refuse } from "../fault.js";
import { parseXml, writeXml, type XmlElement } from "../xml/index.js";
import { isXml, readZip, writeZip } from "../zip/index.js";
import { assertContentTypes, CONTENT_TYPES } from "./content-types.js";
import { assertContent, assertNames, assertRelationship } from "./hazards.js";
import { parseRelationships, type Relationship, relationshipsPart } from "./relationships.js";

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
