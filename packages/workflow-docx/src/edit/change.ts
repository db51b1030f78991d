import { diffArrays } from "diff";
import {
  type Atom,
  boldOf,
  buildInline,
  formatKey,
  type InlineStyle,
  parseRich,
  type Rich,
  readParagraph,
  richAtoms,
} from "../inline.js";
import { wordsOf } from "../text.js";
import { childOf, element, withChildren, type XmlElement } from "../xml.js";

/** Puts the code units `at` to `end` of a new text in the place of `from` to `to` of the old one. */
export type Change = {
  readonly from: number;
  readonly to: number;
  readonly rich: Rich;
  readonly at: number;
  readonly end: number;
};

/** A kept text that gets bold. */
type Bolder = { readonly from: number; readonly to: number };

/** What turns one text into the other, word by word. */
function changesBetween(old: string, rich: Rich): { changes: readonly Change[]; bolder: readonly Bolder[] } {
  const changes: Change[] = [];
  const bolder: Bolder[] = [];
  let from = 0;
  let at = 0;
  const compared = diffArrays([...wordsOf(old)], [...wordsOf(rich.text)]);
  for (const { added, removed, value } of compared) {
    const { length } = value.join("");
    const last = changes.at(-1);
    const continues = last !== undefined && last.to === from && last.end === at;
    if (removed || added) {
      const start = continues ? (changes.pop() ?? last) : { from, at };
      if (removed) from += length;
      else at += length;
      changes.push({ from: start.from, to: from, rich, at: start.at, end: at });
      continue;
    }
    for (let index = 0; index < length; index++)
      if (rich.bold[at + index]) bolder.push({ from: from + index, to: from + index + 1 });
    from += length;
    at += length;
  }
  return { changes, bolder };
}

/** The pieces after the changes, which are in order and do not overlap. Objects are kept; none may be inside of a change. */
function applyChanges(
  atoms: readonly Atom[],
  changes: readonly Change[],
  bolder: readonly Bolder[],
): readonly Atom[] {
  const cuts = new Set([...changes, ...bolder].flatMap(({ from, to }) => [from, to]));
  const pieces = cut(atoms, cuts);
  const bold = new Set(bolder.map(({ from }) => from));
  const result: Atom[] = [];
  let next = 0;
  let position = 0;
  /** The last text, kept or not. */
  let left: { readonly atom: Atom; readonly wasRemoved: boolean } | null = null;
  const insertUpTo = (index: number): void => {
    for (
      let change = changes[next];
      change !== undefined && change.to <= position;
      change = changes[++next]
    ) {
      const { rich, at, end } = change;
      for (const atom of richAtoms(rich, at, end, placeAfter(left, pieces, index))) result.push(atom);
    }
  };
  pieces.forEach((atom, index) => {
    insertUpTo(index);
    const isSeen = atom.text !== "" && atom.kind !== "object";
    const change = changes[next];
    const isRemoved = isSeen && change !== undefined && change.from <= position;
    if (!isRemoved)
      result.push(bold.has(position) && isSeen ? { ...atom, format: boldOf(atom.format) } : atom);
    if (isSeen) left = { atom, wasRemoved: isRemoved };
    position += atom.text.length;
  });
  insertUpTo(pieces.length);
  return result;
}

/** A new text takes its left neighbour's format. It is part of a link only inside of it, or in the place of its words. */
function placeAfter(
  left: { readonly atom: Atom; readonly wasRemoved: boolean } | null,
  pieces: readonly Atom[],
  index: number,
): InlineStyle {
  const isText = ({ kind }: Atom): boolean => kind === "text" || kind === "character";
  const next = pieces.slice(index).find(isText) ?? null;
  const neighbour = left?.atom ?? next;
  if (neighbour === null) return { format: null, link: null };
  if (neighbour.link === null) return neighbour;
  if (left !== null && (left.wasRemoved || next?.link === neighbour.link)) return neighbour;
  const outside = pieces.slice(0, index).findLast((one) => isText(one) && one.link === null);
  const other = outside ?? pieces.slice(index).find((one) => isText(one) && one.link === null);
  return { format: other?.format ?? null, link: null };
}

function cut(atoms: readonly Atom[], cuts: ReadonlySet<number>): readonly Atom[] {
  const pieces: Atom[] = [];
  let position = 0;
  for (const atom of atoms) {
    let start = 0;
    if (atom.kind === "text") {
      for (let at = 1; at < atom.text.length; at++) {
        if (!cuts.has(position + at)) continue;
        pieces.push({ ...atom, text: atom.text.slice(start, at) });
        start = at;
      }
    }
    pieces.push(start === 0 ? atom : { ...atom, text: atom.text.slice(start) });
    position += atom.text.length;
  }
  return pieces;
}

/** The same paragraph with other words. */
export function changeParagraph(
  paragraph: XmlElement,
  changes: readonly Change[],
  bolder: readonly Bolder[],
): XmlElement {
  return withAtoms(paragraph, applyChanges(readParagraph(paragraph), changes, bolder));
}

/** Kept words keep their format. */
export function setParagraphText(paragraph: XmlElement, text: string): XmlElement {
  const old = readParagraph(paragraph)
    .map((atom) => atom.text)
    .join("");
  const { changes, bolder } = changesBetween(old, parseRich(text));
  return changeParagraph(paragraph, changes, bolder);
}

function withAtoms(paragraph: XmlElement, atoms: readonly Atom[]): XmlElement {
  const properties = childOf(paragraph, "w:pPr");
  return withChildren(paragraph, [...(properties === null ? [] : [properties]), ...buildInline(atoms)]);
}

/** What a new paragraph looks like. */
export type Look = { readonly properties: XmlElement | null; readonly format: XmlElement | null };

export function newParagraph(text: string, { properties, format }: Look): XmlElement {
  const rich = parseRich(text);
  const atoms = richAtoms(rich, 0, rich.text.length, { format, link: null });
  return element("w:p", [], [...(properties === null ? [] : [properties]), ...buildInline(atoms)]);
}

/** What belongs to one place of the document and not to how a paragraph looks. */
const OF_PLACE = new Set(["w:sectPr", "w:pPrChange", "w:framePr"]);

/** As this paragraph, with the format that most of its text has. */
export function formatOfParagraph(paragraph: XmlElement): Look {
  const properties = childOf(paragraph, "w:pPr");
  const kept = properties?.children.filter((child) => typeof child !== "string" && !OF_PLACE.has(child.name));
  return {
    properties: properties === null || kept === undefined ? null : withChildren(properties, kept),
    format: commonestFormat(paragraph),
  };
}

export function formatOfStyle(style: string): Look {
  return { properties: element("w:pPr", [], [element("w:pStyle", ["w:val", style], [])]), format: null };
}

/** Neither style nor format: the document's usual text. */
export const PLAIN: Look = { properties: null, format: null };

function commonestFormat(paragraph: XmlElement): XmlElement | null {
  const lengths = new Map<string, { readonly format: XmlElement | null; readonly length: number }>();
  for (const { kind, format, link, text } of readParagraph(paragraph)) {
    if (kind !== "text" || link !== null) continue;
    const key = formatKey(format);
    lengths.set(key, { format, length: (lengths.get(key)?.length ?? 0) + text.length });
  }
  return [...lengths.values()].sort((a, b) => b.length - a.length)[0]?.format ?? null;
}

/** `pStyle` is the first of a paragraph's properties. */
export function withStyle(paragraph: XmlElement, style: string): XmlElement {
  const properties = childOf(paragraph, "w:pPr") ?? element("w:pPr", [], []);
  const others = properties.children.filter(
    (child) => typeof child === "string" || child.name !== "w:pStyle",
  );
  const styled = withChildren(properties, [element("w:pStyle", ["w:val", style], []), ...others]);
  const rest = paragraph.children.filter((child) => typeof child === "string" || child.name !== "w:pPr");
  return withChildren(paragraph, [styled, ...rest]);
}

/** The lines of `text` as the paragraphs of a cell: the first ones are changed, others added or removed. */
export function setCellText(cell: XmlElement, text: string): XmlElement {
  const lines = text.split("\n");
  const paragraphs = cell.children.filter((child) => typeof child !== "string" && child.name === "w:p");
  const others = cell.children.filter((child) => typeof child !== "string" && child.name !== "w:p");
  const last = paragraphs.at(-1);
  const look = typeof last === "object" ? formatOfParagraph(last) : PLAIN;
  const written = lines.map((line, index) => {
    const old = paragraphs[index];
    return typeof old === "object" ? setParagraphText(old, line) : newParagraph(line, look);
  });
  return withChildren(cell, [...others, ...written]);
}
