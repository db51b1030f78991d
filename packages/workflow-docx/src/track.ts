import { type Document, treeOf, withTree } from "./document.js";
import { childOf, elementsOf, isElement, withChildren, type XmlElement, type XmlNode } from "./xml.js";
import { isXml } from "./zip.js";

const TRACKED =
  /^w:(ins|del|moveFrom|moveTo|[a-zA-Z]*Change|(moveFromRange|moveToRange|customXml[a-zA-Z]*Range)(Start|End))$/;

/** The document after all of its tracked changes. */
export function acceptChanges(document: Document): Document {
  return settled(document, "new");
}

/** The document before all of its tracked changes. */
export function rejectChanges(document: Document): Document {
  return settled(document, "old");
}

/** Whether a part has tracked changes. */
export function isTracked(root: XmlElement): boolean {
  const known = new Map<string, boolean>();
  const isMark = (name: string): boolean => {
    const is = known.get(name) ?? TRACKED.test(name);
    known.set(name, is);
    return is;
  };
  const hasMark = ({ name, children }: XmlElement): boolean =>
    isMark(name) || children.some((child) => typeof child !== "string" && hasMark(child));
  return hasMark(root);
}

function settled(document: Document, keep: Keep): Document {
  let result = document;
  for (const name of document.parts.keys()) {
    // Texts: the document, headers, footers, notes.
    if (
      !isXml(name) ||
      (!/(^|\/)(document|header|footer|footnotes|endnotes|comments)[^/]*\.xml$/i.test(name) &&
        name !== document.main)
    )
      continue;
    const root = treeOf(document, name);
    if (isTracked(root)) result = withTree(result, name, settle(root, keep));
  }
  return result;
}

/** Marks of insertions, and of deletions; a move is one of each. */
const MARKS: Readonly<Record<string, Keep>> = {
  "w:ins": "new",
  "w:moveTo": "new",
  "w:del": "old",
  "w:moveFrom": "old",
};

/** What only says where a change begins and ends. */
const RANGES =
  /^w:(moveFromRange|moveToRange|customXmlInsRange|customXmlDelRange|customXmlMoveFromRange|customXmlMoveToRange)(Start|End)$/;

const DELETED: Readonly<Record<string, string>> = { "w:delText": "w:t", "w:delInstrText": "w:instrText" };

/** Elements that are gone with the last of what they held. */
const HOLDERS = new Set(["w:hyperlink", "w:tbl", "w:sdt"]);

/**
 * A part, or its body, with all of its tracked changes accepted (`new`) or rejected (`old`). What has none is the same
 * element as before.
 */
export function settle(root: XmlElement, keep: Keep): XmlElement {
  return withChildren(root, settleChildren(root, keep));
}

function settleChildren(of: XmlElement, keep: Keep): readonly XmlNode[] {
  const nodes: XmlNode[] = [];
  let isSame = true;
  for (const child of of.children) {
    const left = typeof child === "string" ? child : settleNode(child, keep);
    isSame &&= left === child;
    if (typeof left === "string" || "name" in left) nodes.push(left);
    else for (const one of left) nodes.push(one);
  }
  const settled = isSame ? of.children : nodes;
  const isHolder = of.children.some((child) => isElement(child) && child.name === "w:p");
  if (!isHolder) return settled;
  const joined = joinParagraphs(settled, keep);
  // A cell has a paragraph.
  const isEmpty = of.name === "w:tc" && !joined.some((child) => isElement(child) && child.name === "w:p");
  return isEmpty ? [...joined, { name: "w:p", attributes: [], children: [] }] : joined;
}

/** What is left of an element: itself, another one, or what was in it. */
function settleNode(one: XmlElement, keep: Keep): XmlElement | readonly XmlNode[] {
  const mark = MARKS[one.name];
  if (mark !== undefined) return mark === keep ? settleChildren(one, keep) : [];
  if (RANGES.test(one.name)) return [];
  if (one.name === "w:tr" && goneMark(childOf(one, "w:trPr"), keep)) return [];
  // The mark of a paragraph is looked at when it is joined with the next.
  if (one.name === "w:pPr") return settleProperties(one, keep);
  const plain = isProperties(one) ? settleProperties(one, keep) : one;
  const children = settleChildren(plain, keep);
  if (one.name === "w:trPr" && children.length === 0 && plain.children.length > 0) return [];
  if (children === one.children && DELETED[one.name] === undefined) return one;
  const settled = { name: DELETED[one.name] ?? one.name, attributes: one.attributes, children };
  return HOLDERS.has(one.name) && isEmptied(one, settled) ? [] : settled;
}

/** Whether something is marked as not being there in the wanted document. */
function goneMark(properties: XmlElement | null, keep: Keep): boolean {
  if (properties === null) return false;
  return elementsOf(properties).some(({ name }) => MARKS[name] !== undefined && MARKS[name] !== keep);
}

function markProperties(paragraph: XmlElement): XmlElement | null {
  const properties = childOf(paragraph, "w:pPr");
  return properties === null ? null : childOf(properties, "w:rPr");
}

/**
 * A paragraph whose end is gone is joined with the next one, whose properties it takes: so Word does it. One that has
 * nothing left disappears by that.
 */
function joinParagraphs(children: readonly XmlNode[], keep: Keep): readonly XmlNode[] {
  const joined: XmlNode[] = [];
  let held: XmlNode[] = [];
  let last: XmlElement | null = null;
  const release = (): void => {
    if (last !== null && held.some((node) => isElement(node) && CONTENT.test(node.name)))
      joined.push(withChildren(last, [...propertiesOf(last), ...held]));
    [held, last] = [[], null];
  };
  for (const child of children) {
    if (!isElement(child) || child.name !== "w:p") {
      // A mark of a place does not keep two paragraphs apart.
      if (isElement(child) && CONTENT.test(child.name)) release();
      joined.push(child);
      continue;
    }
    const content = child.children.filter((node) => !isElement(node) || node.name !== "w:pPr");
    if (goneMark(markProperties(child), keep)) {
      for (const node of content) held.push(node);
      last = withoutMarks(child);
      continue;
    }
    const whole = withoutMarks(child);
    joined.push(
      held.length === 0 ? whole : withChildren(whole, [...propertiesOf(whole), ...held, ...content]),
    );
    [held, last] = [[], null];
  }
  release();
  return joined;
}

/** What stands in a paragraph besides marks of places. */
const CONTENT = /^(?!w:(bookmark|commentRange|proofErr|perm))/;

function propertiesOf(paragraph: XmlElement): readonly XmlElement[] {
  const properties = childOf(paragraph, "w:pPr");
  return properties === null ? [] : [properties];
}

function withoutMarks(paragraph: XmlElement): XmlElement {
  const properties = childOf(paragraph, "w:pPr");
  const format = markProperties(paragraph);
  if (properties === null || format === null) return paragraph;
  const kept = format.children.filter((child) => isElement(child) && MARKS[child.name] === undefined);
  if (kept.length === format.children.length) return paragraph;
  const mark = kept.length === 0 ? [] : [withChildren(format, kept)];
  const others = properties.children.flatMap((child) => (child === format ? mark : [child]));
  const rest = paragraph.children.flatMap((child) => {
    if (child !== properties) return [child];
    return others.length === 0 ? [] : [withChildren(properties, others)];
  });
  return withChildren(paragraph, rest);
}

function isEmptied(before: XmlElement, after: XmlElement): boolean {
  return count(before) > 0 && count(after) === 0;
}

function count(of: XmlElement): number {
  const content = of.name === "w:sdt" ? childOf(of, "w:sdtContent") : of;
  const names = of.name === "w:tbl" ? /^w:(tr|sdt|customXml)$/ : CONTENT;
  return content === null ? 0 : elementsOf(content).filter(({ name }) => names.test(name)).length;
}

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

function isProperties(of: XmlElement): boolean {
  return Object.hasOwn(CHANGED, of.name);
}

/** Properties without their tracked change: as they are, or as they were. */
function settleProperties(of: XmlElement, keep: Keep): XmlElement {
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
