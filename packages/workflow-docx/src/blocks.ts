import { type Document, treeOf } from "./package/index.js";
import { childOf, elementsOf, type XmlElement } from "./xml/index.js";

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
