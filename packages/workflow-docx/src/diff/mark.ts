import {
  attribute,
  childOf,
  element,
  elementsOf,
  isElement,
  visit,
  withChildren,
  type XmlElement,
  type XmlNode,
} from "../xml.js";
import type { Step } from "./align.js";
import { spend, type Work } from "./sequence.js";

export type ChangeKind = "ins" | "del";

/** Makes the marks of tracked changes, each with a number of its own. */
export type Marker = {
  readonly mark: (kind: ChangeKind | "pPrChange", children: readonly XmlNode[]) => XmlElement;
};

/** `date` in the form of ISO 8601; `null`: none, so that the same two documents give the same bytes. */
export type Author = { readonly author: string; readonly date: string | null };

export function markerFrom(first: number, { author, date }: Author): Marker {
  let next = first;
  const when = date === null ? [] : ["w:date", date];
  return {
    mark: (kind, children) =>
      element(`w:${kind}`, ["w:id", String(next++), "w:author", author, ...when], children),
  };
}

/** What a block or a row takes besides its elements, for its own marks. */
const MARKS = 3;

/** Takes the room of what becomes tracked changes; what has changed and is no paragraph takes that of its own steps. */
export function reserve(room: Work, steps: readonly Step<XmlElement>[]): void {
  const take = (one: XmlElement): void => {
    spend(room, MARKS);
    visit(one, () => spend(room, 1));
  };
  for (const step of steps) {
    const isWhole = step.kind === "changed" && step.new.name === "w:p";
    if (step.kind === "deleted" || isWhole) take(step.old);
    if (step.kind === "inserted" || isWhole) take(step.new);
  }
}

/** Content of a paragraph, inserted or deleted. Links cannot stand in a mark: it is put into them. */
export function markContent(
  nodes: readonly XmlElement[],
  kind: ChangeKind,
  marker: Marker,
): readonly XmlElement[] {
  const marked: XmlElement[] = [];
  let group: XmlElement[] = [];
  const close = (): void => {
    if (group.length > 0) marked.push(marker.mark(kind, group));
    group = [];
  };
  const add = (node: XmlElement): void => {
    if (node.name === "w:hyperlink") {
      close();
      marked.push(withChildren(node, markContent(node.children.filter(isElement), kind, marker)));
    } else if (node.name === "w:fldSimple") for (const run of expandSimple(node)) add(run);
    else group.push(kind === "del" ? deleted(node) : node);
  };
  for (const node of nodes) add(node);
  close();
  return marked;
}

const DELETED: Readonly<Record<string, string>> = { "w:t": "w:delText", "w:instrText": "w:delInstrText" };

/** In a deletion texts have other names. */
function deleted(node: XmlElement): XmlElement {
  const children = node.children.map((child) => (isElement(child) ? deleted(child) : child));
  return { name: DELETED[node.name] ?? node.name, attributes: node.attributes, children };
}

/** A paragraph whose end, too, is inserted or deleted. */
export function markEnd(paragraph: XmlElement, kind: ChangeKind, marker: Marker): XmlElement {
  const properties = childOf(paragraph, "w:pPr") ?? element("w:pPr", [], []);
  const format = childOf(properties, "w:rPr") ?? element("w:rPr", [], []);
  const marked = withChildren(format, [marker.mark(kind, []), ...format.children]);
  return withProperties(paragraph, withFormat(properties, marked));
}

/** `rPr` comes before the end of a section and the record of a change. */
function withFormat(properties: XmlElement, format: XmlElement): XmlElement {
  const others = properties.children.filter((child) => !isElement(child) || child.name !== "w:rPr");
  const isLast = (child: XmlNode): boolean => isElement(child) && /^w:(sectPr|pPrChange)$/.test(child.name);
  return withChildren(properties, [
    ...others.filter((child) => !isLast(child)),
    format,
    ...others.filter(isLast),
  ]);
}

export function withProperties(paragraph: XmlElement, properties: XmlElement): XmlElement {
  const rest = paragraph.children.filter((child) => !isElement(child) || child.name !== "w:pPr");
  return withChildren(paragraph, [properties, ...rest]);
}

/** A paragraph that records that it had other properties. */
export function withOldProperties(paragraph: XmlElement, old: XmlElement | null, marker: Marker): XmlElement {
  const properties = childOf(paragraph, "w:pPr") ?? element("w:pPr", [], []);
  const before = (old?.children ?? []).filter(
    (child) => isElement(child) && !/^w:(rPr|sectPr|pPrChange)$/.test(child.name),
  );
  const record = marker.mark("pPrChange", [element("w:pPr", [], before)]);
  return withProperties(paragraph, withChildren(properties, [...properties.children, record]));
}

/** A row that is inserted or deleted. */
export function markRow(row: XmlElement, kind: ChangeKind, marker: Marker): XmlElement {
  const properties = childOf(row, "w:trPr") ?? element("w:trPr", [], []);
  const marked = withChildren(properties, [...properties.children, marker.mark(kind, [])]);
  const others = row.children.filter((child) => child !== properties);
  const before = others.filter((child) => isElement(child) && child.name === "w:tblPrEx");
  return withChildren(row, [...before, marked, ...others.filter((child) => !before.includes(child))]);
}

function mark(type: string): XmlElement {
  return element("w:r", [], [element("w:fldChar", ["w:fldCharType", type], [])]);
}

/** A simple field as the runs of a complex one, which unlike it can be inserted and deleted. */
export function expandSimple(field: XmlElement): readonly XmlElement[] {
  const instruction = element("w:instrText", ["xml:space", "preserve"], [attribute(field, "w:instr") ?? ""]);
  const result = elementsOf(field).filter(({ name }) => name !== "w:fldData");
  return [mark("begin"), element("w:r", [], [instruction]), mark("separate"), ...result, mark("end")];
}
