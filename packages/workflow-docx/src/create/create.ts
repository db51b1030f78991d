import type { Result } from "@uncaged/json-schema";
import { type Document, openDocument, saveDocument } from "../document.js";
import { attempt, type DocxFault } from "../fault.js";
import { element, writeXml } from "../xml.js";
import { bodyFrom, numberingXml } from "./body.js";
import { parseBlocks } from "./parse.js";
import { STYLES_XML, WORDPROCESSING } from "./styles.js";

const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

const MAIN = "word/document.xml";

/** The parts that the main part refers to. */
const RELATED = ["styles", "numbering", "settings"] as const;

const type = (part: string, name: string): string =>
  `<Override PartName="/word/${part}.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.${name}+xml"/>`;

const CONTENT_TYPES = `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${type("document", "document.main")}${RELATED.map((name) => type(name, name)).join("")}</Types>`;

// Without it, Word shows the document as one of a format of 2007.
const SETTINGS = `<w:settings xmlns:w="${WORDPROCESSING}"><w:compat><w:compatSetting w:name="compatibilityMode" w:uri="http://schemas.microsoft.com/office/word" w:val="15"/></w:compat></w:settings>`;

function relationships(lines: readonly (readonly [kind: string, target: string])[]): string {
  const all = lines.map(
    ([kind, target], index) =>
      `<Relationship Id="rId${index + 1}" Type="${OFFICE}/${kind}" Target="${target}"/>`,
  );
  return `<Relationships xmlns="${PACKAGE}/relationships">${all.join("")}</Relationships>`;
}

/**
 * A document with these blocks (`NewBlock[]`, from anywhere): A4, with styles for headings, lists and tables. Equal blocks
 * give equal bytes.
 */
export function createDocument(blocks: unknown): Result<Document, DocxFault> {
  const parsed = attempt(() => parseBlocks(blocks));
  if (!parsed.ok) return parsed;
  const { body, ordered } = bodyFrom(parsed.value);
  const text = (xml: string): Uint8Array =>
    Buffer.from(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n${xml}`);
  const parts = new Map([
    ["[Content_Types].xml", text(CONTENT_TYPES)],
    ["_rels/.rels", text(relationships([["officeDocument", MAIN]]))],
    ["word/_rels/document.xml.rels", text(relationships(RELATED.map((name) => [name, `${name}.xml`])))],
    [MAIN, writeXml(element("w:document", ["xmlns:w", WORDPROCESSING], [body]))],
    ["word/numbering.xml", text(numberingXml(ordered))],
    ["word/settings.xml", text(SETTINGS)],
    ["word/styles.xml", text(STYLES_XML)],
  ]);
  // It has to stay within the limits of every document.
  return openDocument(saveDocument({ parts, main: MAIN }));
}
