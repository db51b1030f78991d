import type { XmlElement, XmlNode } from "../xml/index.js";

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

export function textAtom(text: string, format: XmlElement | null, link: XmlElement | null): Atom {
  return { kind: "text", text, format, nodes: [], inRun: true, link };
}

/** Elements of a run that are one character. */
export const CHARACTERS: Readonly<Record<string, string>> = {
  "w:tab": "\t",
  "w:br": "\n",
  "w:cr": "\n",
  "w:noBreakHyphen": "\u2011",
  "w:softHyphen": "\u00ad",
};

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

export function isMarker(node: XmlElement): boolean {
  return MARKERS.has(node.name);
}
