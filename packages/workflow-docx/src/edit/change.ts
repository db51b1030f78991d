import { diffArrays } from "diff";
import { type Atom, boldOf, type InlineStyle, type Rich, richAtoms, wordsOf } from "../inline/index.js";

/** Puts the code units `at` to `end` of a new text in the place of `from` to `to` of the old one. */
export type Change = {
  readonly from: number;
  readonly to: number;
  readonly rich: Rich;
  readonly at: number;
  readonly end: number;
};

/** A kept text that gets bold. */
export type Bolder = { readonly from: number; readonly to: number };

/** What turns one text into the other, word by word. */
export function changesBetween(
  old: string,
  rich: Rich,
): { changes: readonly Change[]; bolder: readonly Bolder[] } {
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
export function applyChanges(
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
