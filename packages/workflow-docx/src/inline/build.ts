import { element, withChildren, type XmlElement, type XmlNode } from "../xml/index.js";
import type { Atom } from "./atom.js";
import { formatKey } from "./format.js";

/** The elements of a paragraph that these pieces make. Neighbours of one format become one run. */
export function buildInline(atoms: readonly Atom[]): readonly XmlElement[] {
  return groupsOf(atoms, (a, b) => a.link === b.link).flatMap((group): readonly XmlElement[] => {
    const [first] = group;
    const runs = buildRuns(group);
    return first?.link == null ? runs : [withChildren(first.link, runs)];
  });
}

/** The same without their links. An object has a run of its own: pandoc reads no text beside a picture. */
export function buildRuns(atoms: readonly Atom[]): readonly XmlElement[] {
  const canShare = ({ inRun, kind }: Atom): boolean => inRun && kind !== "object";
  const isOneRun = (a: Atom, b: Atom): boolean =>
    canShare(a) && canShare(b) && (a.format === b.format || formatKey(a.format) === formatKey(b.format));
  return groupsOf(atoms, isOneRun).flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    if (!first.inRun) return group.flatMap(({ nodes }) => nodes.filter((node) => typeof node !== "string"));
    const format = first.format === null ? [] : [first.format];
    return [element("w:r", [], [...format, ...contentOf(group)])];
  });
}

function contentOf(atoms: readonly Atom[]): readonly XmlNode[] {
  return groupsOf(atoms, (a, b) => a.kind === "text" && b.kind === "text").flatMap((group) => {
    if (group[0]?.kind !== "text") return group.flatMap(({ nodes }) => nodes);
    const text = group.map((atom) => atom.text).join("");
    return text === "" ? [] : [textElement("w:t", text)];
  });
}

/** White space at the ends of a text, or twice in a row, is kept only where that is said. */
export function textElement(name: "w:t" | "w:delText", text: string): XmlElement {
  const attributes = /^\s|\s$|\s\s|[\t\n]/.test(text) ? ["xml:space", "preserve"] : [];
  return element(name, attributes, [text]);
}

/** Cuts a list where two neighbours do not belong together. */
export function groupsOf<T>(items: readonly T[], belong: (a: T, b: T) => boolean): readonly (readonly T[])[] {
  const groups: T[][] = [];
  let last: T | undefined;
  for (const item of items) {
    if (last !== undefined && belong(last, item)) groups.at(-1)?.push(item);
    else groups.push([item]);
    last = item;
  }
  return groups;
}
