import { blocksOf, bodyOf, rowsOf } from "./blocks.js";
import { textOf } from "./inline/index.js";
import type { Document } from "./package/index.js";
import { outlineLevel, type ParagraphStyle, paragraphStyles, valOf } from "./styles.js";
import { childOf, type XmlElement } from "./xml/index.js";

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
