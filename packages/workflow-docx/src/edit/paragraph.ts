import { type Atom, buildInline, formatKey, parseRich, readParagraph, richAtoms } from "../inline/index.js";
import { childOf, element, withChildren, type XmlElement } from "../xml/index.js";
import { applyChanges, type Bolder, type Change, changesBetween } from "./change.js";

/** The same paragraph with other words. */
export function changeParagraph(
  paragraph: XmlElement,
  changes: readonly Change[],
  bolder: readonly Bolder[],
): XmlElement {
  return withAtoms(paragraph, applyChanges(readParagraph(paragraph), changes, bolder));
}

/** Kept words keep their format. */
export function setParagraphText(paragraph: XmlElement, text: string): XmlElement {
  const old = readParagraph(paragraph)
    .map((atom) => atom.text)
    .join("");
  const { changes, bolder } = changesBetween(old, parseRich(text));
  return changeParagraph(paragraph, changes, bolder);
}

function withAtoms(paragraph: XmlElement, atoms: readonly Atom[]): XmlElement {
  const properties = childOf(paragraph, "w:pPr");
  return withChildren(paragraph, [...(properties === null ? [] : [properties]), ...buildInline(atoms)]);
}

/** What a new paragraph looks like. */
export type Look = { readonly properties: XmlElement | null; readonly format: XmlElement | null };

export function newParagraph(text: string, { properties, format }: Look): XmlElement {
  const rich = parseRich(text);
  const atoms = richAtoms(rich, 0, rich.text.length, { format, link: null });
  return element("w:p", [], [...(properties === null ? [] : [properties]), ...buildInline(atoms)]);
}

/** What belongs to one place of the document and not to how a paragraph looks. */
const OF_PLACE = new Set(["w:sectPr", "w:pPrChange", "w:framePr"]);

/** As this paragraph, with the format that most of its text has. */
export function formatOfParagraph(paragraph: XmlElement): Look {
  const properties = childOf(paragraph, "w:pPr");
  const kept = properties?.children.filter((child) => typeof child !== "string" && !OF_PLACE.has(child.name));
  return {
    properties: properties === null || kept === undefined ? null : withChildren(properties, kept),
    format: commonestFormat(paragraph),
  };
}

export function formatOfStyle(style: string): Look {
  return { properties: element("w:pPr", [], [element("w:pStyle", ["w:val", style], [])]), format: null };
}

/** Neither style nor format: the document's usual text. */
export const PLAIN: Look = { properties: null, format: null };

function commonestFormat(paragraph: XmlElement): XmlElement | null {
  const lengths = new Map<string, { readonly format: XmlElement | null; readonly length: number }>();
  for (const { kind, format, link, text } of readParagraph(paragraph)) {
    if (kind !== "text" || link !== null) continue;
    const key = formatKey(format);
    lengths.set(key, { format, length: (lengths.get(key)?.length ?? 0) + text.length });
  }
  return [...lengths.values()].sort((a, b) => b.length - a.length)[0]?.format ?? null;
}

/** `pStyle` is the first of a paragraph's properties. */
export function withStyle(paragraph: XmlElement, style: string): XmlElement {
  const properties = childOf(paragraph, "w:pPr") ?? element("w:pPr", [], []);
  const others = properties.children.filter(
    (child) => typeof child === "string" || child.name !== "w:pStyle",
  );
  const styled = withChildren(properties, [element("w:pStyle", ["w:val", style], []), ...others]);
  const rest = paragraph.children.filter((child) => typeof child === "string" || child.name !== "w:pPr");
  return withChildren(paragraph, [styled, ...rest]);
}

/** The lines of `text` as the paragraphs of a cell: the first ones are changed, others added or removed. */
export function setCellText(cell: XmlElement, text: string): XmlElement {
  const lines = text.split("\n");
  const paragraphs = cell.children.filter((child) => typeof child !== "string" && child.name === "w:p");
  const others = cell.children.filter((child) => typeof child !== "string" && child.name !== "w:p");
  const last = paragraphs.at(-1);
  const look = typeof last === "object" ? formatOfParagraph(last) : PLAIN;
  const written = lines.map((line, index) => {
    const old = paragraphs[index];
    return typeof old === "object" ? setParagraphText(old, line) : newParagraph(line, look);
  });
  return withChildren(cell, [...others, ...written]);
}
