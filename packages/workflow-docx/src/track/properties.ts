import { childOf, withChildren, type XmlElement, type XmlNode } from "../xml/index.js";

/** Which of the two documents in a document with tracked changes is wanted. */
export type Keep = "new" | "old";

/** Elements that hold properties, and in them the properties before a tracked change. */
const CHANGED: Readonly<Record<string, string>> = {
  "w:rPr": "w:rPrChange",
  "w:pPr": "w:pPrChange",
  "w:tblPr": "w:tblPrChange",
  "w:tblPrEx": "w:tblPrExChange",
  "w:trPr": "w:trPrChange",
  "w:tcPr": "w:tcPrChange",
  "w:sectPr": "w:sectPrChange",
  "w:tblGrid": "w:tblGridChange",
};

/** What a change of the properties around it leaves alone. */
const STAYS: Readonly<Record<string, readonly string[]>> = {
  "w:pPr": ["w:rPr", "w:sectPr"],
  "w:sectPr": ["w:headerReference", "w:footerReference"],
};

export function isProperties(of: XmlElement): boolean {
  return Object.hasOwn(CHANGED, of.name);
}

/** Properties without their tracked change: as they are, or as they were. */
export function settleProperties(of: XmlElement, keep: Keep): XmlElement {
  const record = CHANGED[of.name] ?? "";
  const change = childOf(of, record);
  if (change === null) return of;
  const own = of.children.filter((child) => typeof child === "string" || child.name !== record);
  if (keep === "new") return withChildren(of, own);
  const before = childOf(change, of.name)?.children ?? [];
  const stays = STAYS[of.name] ?? [];
  const kept = own.filter(
    (child): child is XmlElement => typeof child !== "string" && stays.includes(child.name),
  );
  return withChildren(of, ordered(of.name, before, kept));
}

function ordered(name: string, before: readonly XmlNode[], kept: readonly XmlElement[]): readonly XmlNode[] {
  return name === "w:sectPr" ? [...kept, ...before] : [...before, ...kept];
}
