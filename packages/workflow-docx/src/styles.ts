import { type Document, relatedPart, treeOf } from "./package/index.js";
import { attribute, childOf, childrenOf } from "./xml/index.js";

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
export function outlineLevel(value: string | null): number | null {
  return value !== null && /^[0-8]$/.test(value) ? Number.parseInt(value, 10) + 1 : null;
}

/** `w:val` of a child. */
export function valOf(of: Parameters<typeof childOf>[0], name: string): string | null {
  const child = childOf(of, name);
  return child === null ? null : attribute(child, "w:val");
}
