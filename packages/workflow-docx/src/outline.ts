import { type Document, relatedPart, treeOf } from "./document.js";
import { textOf } from "./text.js";
import { attribute, childOf, childrenOf, elementsOf, type XmlElement } from "./xml.js";

/** A paragraph or a table with its number, by which an edit names it. */
export type OutlineBlock = {
  /** From 1, in the order of the document. */
  readonly block: number;
  readonly kind: "heading" | "paragraph" | "item" | "table" | "formula";
  /** 1 to 9 of a heading, from 1 of an item of a list, else `null`. */
  readonly level: number | null;
  /** The id of the paragraph's style; `null`: the document's usual one. */
  readonly style: string | null;
  /** What stands there. Cells are separated by ` | `, rows by ends of lines. */
  readonly text: string;
  /** The texts of a table's cells, row by row. */
  readonly rows: readonly (readonly string[])[] | null;
};

export type Outline = {
  readonly blocks: readonly OutlineBlock[];
  /** The ids of the styles that a paragraph can be given. */
  readonly styles: readonly string[];
};

/** What an editor needs to name a block: every paragraph and table with its number and its text. */
export function outlineOf(document: Document): Outline {
  const styles = paragraphStyles(document);
  const blocks = blocksOf(bodyOf(document)).map((one, index) => outlineBlock(one, index + 1, styles));
  return { blocks, styles: [...styles.keys()] };
}

export function outlineBlock(
  one: XmlElement,
  block: number,
  styles: ReadonlyMap<string, ParagraphStyle>,
): OutlineBlock {
  const plain = { block, level: null, style: null, rows: null };
  if (one.name === "w:tbl") {
    const rows = rowsOf(one).map((row) => row.map(textOf));
    return { ...plain, kind: "table", text: rows.map((row) => row.join(" | ")).join("\n"), rows };
  }
  const text = textOf(one);
  if (one.name !== "w:p") return { ...plain, kind: "formula", text };
  const properties = childOf(one, "w:pPr");
  const style = properties === null ? null : valOf(properties, "w:pStyle");
  const level =
    (properties === null ? null : outlineLevel(valOf(properties, "w:outlineLvl"))) ??
    styles.get(style ?? "")?.level ??
    null;
  if (level !== null) return { ...plain, kind: "heading", level, style, text };
  const numbering = properties === null ? null : childOf(properties, "w:numPr");
  if (numbering === null || valOf(numbering, "w:numId") === "0")
    return { ...plain, kind: "paragraph", style, text };
  const depth = Number.parseInt(valOf(numbering, "w:ilvl") ?? "0", 10);
  return { ...plain, kind: "item", level: depth + 1, style, text };
}

/** Elements around blocks, which are no blocks themselves: content controls and the like. */
const AROUND = new Set(["w:sdt", "w:sdtContent", "w:customXml"]);

/** The blocks of a body or of a cell in their order: paragraphs, tables, and what else stands among them. */
export function blocksOf(container: XmlElement): readonly XmlElement[] {
  return elementsOf(container).flatMap((child) => {
    if (AROUND.has(child.name)) return blocksOf(child);
    return isBlock(child) ? [child] : [];
  });
}

/** What stands among blocks and is none: the section, bookmarks, marks of tracked changes. */
export function isBlock({ name }: XmlElement): boolean {
  return name === "w:p" || name === "w:tbl" || name === "m:oMathPara" || name === "m:oMath";
}

export function bodyOf(document: Document): XmlElement {
  const body = childOf(treeOf(document, document.main), "w:body");
  return body ?? { name: "w:body", attributes: [], children: [] };
}

/** The cells of a table, row by row. A row or a cell may stand in a content control. */
export function rowsOf(table: XmlElement): readonly (readonly XmlElement[])[] {
  return deep(table, "w:tr").map((row) => deep(row, "w:tc"));
}

function deep(of: XmlElement, name: string): readonly XmlElement[] {
  return elementsOf(of).flatMap((child) => {
    if (child.name === name) return [child];
    return AROUND.has(child.name) ? deep(child, name) : [];
  });
}

/** A style of paragraphs. */
export type ParagraphStyle = {
  readonly id: string;
  /** What a word processor calls it: `heading 1`. */
  readonly name: string;
  /** 1 to 9 for a heading. */
  readonly level: number | null;
};

/** The document's styles of paragraphs, by id. */
export function paragraphStyles(document: Document): ReadonlyMap<string, ParagraphStyle> {
  const part = relatedPart(document, "styles");
  if (part === null) return new Map();
  const all = childrenOf(treeOf(document, part), "w:style").filter(
    (one) => attribute(one, "w:type") === "paragraph",
  );
  const byId = new Map(all.map((one) => [attribute(one, "w:styleId") ?? "", one]));
  const levelOf = (id: string, seen: readonly string[]): number | null => {
    const style = byId.get(id);
    if (style === undefined || seen.includes(id)) return null;
    const [, digit] = /^heading (\d)$/i.exec(valOf(style, "w:name") ?? "") ?? [];
    if (digit !== undefined) return Number.parseInt(digit, 10);
    const properties = childOf(style, "w:pPr");
    const own = properties === null ? null : outlineLevel(valOf(properties, "w:outlineLvl"));
    return own ?? levelOf(valOf(style, "w:basedOn") ?? "", [...seen, id]);
  };
  return new Map(
    [...byId].map(([id, style]) => [id, { id, name: valOf(style, "w:name") ?? id, level: levelOf(id, []) }]),
  );
}

/** The standard counts from 0, and 9 is text. */
function outlineLevel(value: string | null): number | null {
  return value !== null && /^[0-8]$/.test(value) ? Number.parseInt(value, 10) + 1 : null;
}

/** `w:val` of a child. */
function valOf(of: Parameters<typeof childOf>[0], name: string): string | null {
  const child = childOf(of, name);
  return child === null ? null : attribute(child, "w:val");
}
