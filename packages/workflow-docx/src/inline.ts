import { createHash } from "node:crypto";
import { CHARACTERS, textOf } from "./text.js";
import {
  attribute,
  childOf,
  element,
  elementsOf,
  withChildren,
  type XmlElement,
  type XmlNode,
  xmlText,
} from "./xml.js";

/**
 * A piece of a paragraph: a text, a character that is an element (a tab, the end of a line), an object that is kept as
 * it is (a picture, a field, a formula, a reference to a footnote), or a marker that nobody sees (a bookmark).
 */
export type Atom = {
  readonly kind: "text" | "character" | "object" | "marker";
  /** What a reader sees of it; of an object its result. */
  readonly text: string;
  /** The properties of its run; `null`: it has none. */
  readonly format: XmlElement | null;
  /** The elements of anything but a text. */
  readonly nodes: readonly XmlNode[];
  /** Whether `nodes` stand in a run with `format`, or beside runs. */
  readonly inRun: boolean;
  /** The link around it. Two links to one place are two elements. */
  readonly link: XmlElement | null;
};

function textAtom(text: string, format: XmlElement | null, link: XmlElement | null): Atom {
  return { kind: "text", text, format, nodes: [], inRun: true, link };
}

const MARKERS = new Set([
  "w:proofErr",
  "w:bookmarkStart",
  "w:bookmarkEnd",
  "w:commentRangeStart",
  "w:commentRangeEnd",
  "w:commentReference",
  "w:annotationRef",
  "w:lastRenderedPageBreak",
  "w:permStart",
  "w:permEnd",
  "w:moveFromRangeStart",
  "w:moveFromRangeEnd",
  "w:moveToRangeStart",
  "w:moveToRangeEnd",
  "w:customXmlInsRangeStart",
  "w:customXmlInsRangeEnd",
  "w:customXmlDelRangeStart",
  "w:customXmlDelRangeEnd",
]);

function isMarker(node: XmlElement): boolean {
  return MARKERS.has(node.name);
}

/** The pieces of a paragraph in their order. */
export function readParagraph(paragraph: XmlElement): readonly Atom[] {
  const content = elementsOf(paragraph).filter(({ name }) => name !== "w:pPr");
  const atoms = readInline(content, null);
  if (atoms !== null) return atoms;
  // A field begins or ends in another paragraph. What is part of it cannot be taken apart.
  return [objectOf(content, null)];
}

/** Whether a field of the paragraph begins or ends elsewhere. */
export function isPartOfField(paragraph: XmlElement): boolean {
  return readInline(elementsOf(paragraph), null) === null;
}

/** `null`: fields and links cross. */
function readInline(content: readonly XmlElement[], link: XmlElement | null): readonly Atom[] | null {
  const atoms: Atom[] = [];
  /** The runs of the field that is open, and how many fields are open in it. */
  let field: XmlElement[] = [];
  let depth = 0;
  for (const child of content) {
    if (child.name !== "w:r") {
      if (child.name === "w:hyperlink") {
        const inner = readInline(elementsOf(child), child);
        if (inner === null) return null;
        if (depth === 0) for (const atom of inner) atoms.push(atom);
        else field.push(child);
      } else if (depth > 0) field.push(child);
      else if (child.name !== "w:pPr")
        atoms.push(isMarker(child) ? markerOf(child, link) : objectOf([child], link));
      continue;
    }
    const format = childOf(child, "w:rPr");
    for (const part of elementsOf(child)) {
      if (part === format) continue;
      const type = part.name === "w:fldChar" ? attribute(part, "w:fldCharType") : null;
      if (type === "begin") depth++;
      if (depth === 0) {
        // The end of a field that began elsewhere.
        if (type !== null) return null;
        atoms.push(atomOf(part, format, link));
        continue;
      }
      field.push(runOf(child, format, part));
      if (type === "end" && --depth === 0) {
        atoms.push(objectOf(field, link));
        field = [];
      }
    }
  }
  return depth === 0 ? atoms : null;
}

function runOf(run: XmlElement, format: XmlElement | null, part: XmlElement): XmlElement {
  return withChildren({ ...run, attributes: [] }, format === null ? [part] : [format, part]);
}

function atomOf(part: XmlElement, format: XmlElement | null, link: XmlElement | null): Atom {
  if (part.name === "w:t") return textAtom(part.children.join(""), format, link);
  const inRun = { text: "", format, nodes: [part], inRun: true, link };
  if (isMarker(part)) return { ...inRun, kind: "marker" };
  // The end of a page or of a column is no end of a line.
  const isBreak = part.name === "w:br" && !["textWrapping", null].includes(attribute(part, "w:type"));
  const character = isBreak ? undefined : CHARACTERS[part.name];
  if (character !== undefined) return { ...inRun, kind: "character", text: character };
  return { ...inRun, kind: "object", text: textOf(element("w:r", [], [part])) };
}

function markerOf(node: XmlElement, link: XmlElement | null): Atom {
  return { kind: "marker", text: "", format: null, nodes: [node], inRun: false, link };
}

function objectOf(nodes: readonly XmlElement[], link: XmlElement | null): Atom {
  const text = textOf(element("w:p", [], nodes));
  return { kind: "object", text, format: null, nodes, inRun: false, link };
}

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
function textElement(name: "w:t" | "w:delText", text: string): XmlElement {
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

/** A text with what of it is bold. */
export type Rich = {
  readonly text: string;
  /** For each code unit. */
  readonly bold: readonly boolean[];
};

/** Reads `**bold**`. Stars without a partner, and those after a backslash, are stars. */
export function parseRich(source: string): Rich {
  const bold: boolean[] = [];
  let text = "";
  const add = (piece: string, isBold: boolean): void => {
    text += piece;
    for (let at = 0; at < piece.length; at++) bold.push(isBold);
  };
  for (const [all, marked] of source.matchAll(/\\\*|\*\*(?=\S)([^*]+?)(?<=\S)\*\*|[\s\S]/g))
    add(marked ?? all.replace(/^\\\*$/, "*"), marked !== undefined);
  return { text, bold };
}

/** Where the new text stands: the format and the link that it takes over. */
export type InlineStyle = Pick<Atom, "format" | "link">;

/** The pieces of a part of a text. */
export function richAtoms(
  { text, bold }: Rich,
  from: number,
  to: number,
  place: InlineStyle,
): readonly Atom[] {
  const atoms: Atom[] = [];
  let at = from;
  while (at < to) {
    const isBold = bold[at] ?? false;
    const format = isBold ? boldOf(place.format) : place.format;
    const sign = text[at];
    if (sign === "\n" || sign === "\t") {
      const node = element(sign === "\n" ? "w:br" : "w:tab", [], []);
      atoms.push({ ...textAtom(sign, format, place.link), kind: "character", nodes: [node] });
      at++;
      continue;
    }
    let end = at + 1;
    while (end < to && (bold[end] ?? false) === isBold && text[end] !== "\n" && text[end] !== "\t") end++;
    atoms.push(textAtom(text.slice(at, end), format, place.link));
    at = end;
  }
  return atoms;
}

/** What a spelling checker needs, and no reader sees. */
const UNSEEN = new Set(["w:lang", "w:noProof"]);

const keys = new WeakMap<XmlElement, string>();

/** Equal for two formats that look the same. Properties of runs are few and used by many runs. */
export function formatKey(format: XmlElement | null): string {
  if (format === null) return "";
  const known = keys.get(format);
  if (known !== undefined) return known;
  const seen = format.children.filter((child) => typeof child !== "string" && !UNSEEN.has(child.name));
  const key = seen.length === 0 ? "" : brief(xmlText(withChildren(format, seen)));
  keys.set(format, key);
  return key;
}

/** Properties that the standard puts before `w:b`. */
const BEFORE_BOLD = new Set(["w:rStyle", "w:rFonts"]);

export function boldOf(format: XmlElement | null): XmlElement {
  const base = format ?? element("w:rPr", [], []);
  const bold = childOf(base, "w:b");
  if (bold !== null && bold.attributes.length === 0) return base;
  const others = base.children.filter((child) => typeof child === "string" || child.name !== "w:b");
  const place = others.findIndex((child) => typeof child !== "string" && !BEFORE_BOLD.has(child.name));
  const at = place === -1 ? others.length : place;
  return withChildren(base, [...others.slice(0, at), element("w:b", [], []), ...others.slice(at)]);
}

/** Characters of a key that is kept as it is. */
const SHORT = 120;

/**
 * A key that is equal where the given one is equal, and never long: keys of keys, of which a document has any number, take
 * memory by what it has, and not by that times how deep or how often it has it. No document has a NUL.
 */
export function brief(key: string): string {
  return key.length <= SHORT ? key : `\u0000${createHash("sha256").update(key, "utf16le").digest("base64")}`;
}
