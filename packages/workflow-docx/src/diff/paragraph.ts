import { type Atom, buildRuns, formatKey, groupsOf, readParagraph } from "../inline.js";
import { wordsOf } from "../text.js";
import { childOf, withChildren, type XmlElement } from "../xml.js";
import type { Importer } from "./import.js";
import { type ChangeKind, type Marker, markContent } from "./mark.js";
import { matchSequences, type Work } from "./sequence.js";
import { linkKey, objectKey, type Side } from "./side.js";

/** The two documents, and what their comparison makes. */
export type Pairing = {
  readonly old: Side;
  readonly new: Side;
  readonly marker: Marker;
  readonly importer: Importer;
  readonly work: Work;
  /** Elements that may still become tracked changes. When none is left, the differences are found, and not marked. */
  readonly room: Work;
};

/** A piece of a paragraph with what has happened to it. */
export type Piece = { readonly atom: Atom; readonly change: ChangeKind | null };

type Token = { readonly atom: Atom; readonly key: string };

/** The words and objects of a paragraph; markers, and texts of no length, are left out. */
function tokensOf(pieces: readonly Token[]): readonly Token[] {
  return pieces.flatMap((piece): readonly Token[] => {
    const { atom, key } = piece;
    if (atom.kind !== "text") return [piece];
    const style = key.slice(0, key.length - atom.text.length);
    return wordsOf(atom.text).map((text) => ({ atom: { ...atom, text }, key: style + text }));
  });
}

/** The texts and objects of a paragraph, as they are cut into runs. */
function piecesOf(paragraph: XmlElement, side: Side, styles: Map<string, number>): readonly Token[] {
  return readParagraph(paragraph).flatMap((atom): readonly Token[] => {
    if (atom.kind === "marker" || (atom.kind === "text" && atom.text === "")) return [];
    if (atom.kind !== "text") return [{ atom, key: `o${objectKey(atom, side)}` }];
    const style = formatKey(atom.format) + linkKey(atom.link, side);
    const number = styles.get(style) ?? styles.size;
    styles.set(style, number);
    return [{ atom, key: `t${number}|${atom.text}` }];
  });
}

/** What two paragraphs have in common, word by word, with the markers of the new one. */
export function comparePieces(old: XmlElement, now: XmlElement, sides: Pairing): readonly Piece[] {
  const styles = new Map<string, number>();
  const [before, after] = [piecesOf(old, sides.old, styles), piecesOf(now, sides.new, styles)];
  const { start, end } = common(before, after);
  const middle = [before.slice(start, before.length - end), after.slice(start, after.length - end)] as const;
  const isLong = middle.some((pieces) => lengthOf(pieces) > MOST_TEXT);
  const [gone, come] = isLong ? middle : [tokensOf(middle[0]), tokensOf(middle[1])];
  const matches = matchSequences(gone, come, ({ key }) => key, sides.work);
  const same = ({ atom }: Token): Piece => ({ atom, change: null });
  const changed = matches.flatMap((match): readonly Piece[] => {
    if (match.kind === "same") return [same(match.new)];
    return [
      ...match.old.map(({ atom }) => ({ atom, change: "del" as const })),
      ...match.new.map(({ atom }) => ({ atom, change: "ins" as const })),
    ];
  });
  const [first, last] = [after.slice(0, start), after.slice(after.length - end)];
  const pieces = [...first.map(same), ...changed, ...last.map(same)];
  return withMarkers(joinAcrossSpaces(pieces), now, [...first, ...come, ...last]);
}

/** Longer texts of one paragraph, in characters, are compared by their runs. */
const MOST_TEXT = 200_000;

function lengthOf(pieces: readonly Token[]): number {
  return pieces.reduce((sum, { atom }) => sum + atom.text.length, 0);
}

/** How many pieces two paragraphs begin with in common, and with how many they end. */
function common(
  old: readonly Token[],
  now: readonly Token[],
): { readonly start: number; readonly end: number } {
  const most = Math.min(old.length, now.length);
  let [start, end] = [0, 0];
  while (start < most && old[start]?.key === now[start]?.key) start++;
  while (start + end < most && old.at(-1 - end)?.key === now.at(-1 - end)?.key) end++;
  return { start, end };
}

/** Markers stand before the piece that follows them in the new document. */
function withMarkers(pieces: readonly Piece[], now: XmlElement, tokens: readonly Token[]): readonly Piece[] {
  const before = new Map<Atom | null, readonly Atom[]>();
  let held: Atom[] = [];
  let next = 0;
  for (const atom of readParagraph(now)) {
    if (atom.kind === "marker") {
      held.push(atom);
      continue;
    }
    if (atom.kind === "text" && atom.text === "") continue;
    const first = tokens[next];
    if (held.length > 0 && first !== undefined) before.set(first.atom, held);
    held = [];
    let length = 0;
    do length += tokens[next++]?.atom.text.length ?? 0;
    while (atom.kind === "text" && length < atom.text.length && next < tokens.length);
  }
  if (before.size + held.length === 0) return pieces;
  const placed = pieces.flatMap((piece) =>
    piece.change === "del"
      ? [piece]
      : [...(before.get(piece.atom) ?? []).map((atom) => markerPiece(atom, piece.change)), piece],
  );
  return [...placed, ...held.map((atom) => markerPiece(atom, null))];
}

/** A reference to a comment is a run, and would keep a paragraph alive. */
function markerPiece(atom: Atom, change: ChangeKind | null): Piece {
  return { atom, change: atom.inRun ? change : null };
}

/**
 * Two changes with nothing but a space between them read better as one. The space is then deleted and inserted, which
 * changes nothing.
 */
function joinAcrossSpaces(pieces: readonly Piece[]): readonly Piece[] {
  const groups = groupsOf(pieces, (a, b) => (a.change === null) === (b.change === null));
  const isBoth = (group: readonly Piece[] | undefined): boolean =>
    group?.some(({ change }) => change === "del") === true && group.some(({ change }) => change === "ins");
  const isSpace = ({ atom, change }: Piece): boolean =>
    change === null && atom.kind === "text" && atom.link === null && /^\s*$/.test(atom.text);
  const joined: Piece[][] = [];
  groups.forEach((group, index) => {
    const last = joined.at(-1);
    const isBetween = group.every(isSpace) && isBoth(groups[index - 1]) && isBoth(groups[index + 1]);
    const isMore = isBetween || (group[0]?.change !== null && last?.[0]?.change !== null);
    if (last === undefined || !isMore) joined.push([...group]);
    else for (const piece of isBetween ? group.flatMap(twice) : group) last.push(piece);
  });
  return joined.flatMap((group) => [
    ...group.filter(({ change }) => change !== "ins"),
    ...group.filter(({ change }) => change === "ins"),
  ]);
}

function twice({ atom }: Piece): readonly Piece[] {
  return [
    { atom, change: "del" },
    { atom, change: "ins" },
  ];
}

/** All of a paragraph, inserted or deleted. */
export function allPieces(paragraph: XmlElement, change: ChangeKind): readonly Piece[] {
  return readParagraph(paragraph).flatMap((atom): readonly Piece[] => {
    if (atom.kind !== "marker") return [{ atom, change }];
    return change === "ins" ? [markerPiece(atom, change)] : [];
  });
}

/** The paragraph that these pieces make, with the properties and the markers of `base`. */
export function buildParagraph(base: XmlElement, pieces: readonly Piece[], sides: Pairing): XmlElement {
  const properties = childOf(base, "w:pPr");
  const content = buildPieces(pieces, sides);
  return withChildren(base, [...(properties === null ? [] : [properties]), ...content]);
}

function buildPieces(pieces: readonly Piece[], sides: Pairing): readonly XmlElement[] {
  const sideOf = ({ change }: Piece): Side => (change === "del" ? sides.old : sides.new);
  const keyed = pieces.map((piece) => ({ ...piece, link: linkKey(piece.atom.link, sideOf(piece)) }));
  return groupsOf(keyed, (a, b) => a.link === b.link).flatMap((group) => {
    const content = groupsOf(group, (a, b) => a.change === b.change).flatMap((run) => {
      const [first] = run;
      const runs = buildRuns(run.map(({ atom }) => atom));
      if (first === undefined || first.change === null) return runs;
      const own = first.change === "del" ? runs.map(sides.importer.bring) : runs;
      return markContent(own, first.change, sides.marker);
    });
    const from = group.find(({ change }) => change !== "del") ?? group[0];
    const link = from?.atom.link ?? null;
    if (from === undefined || link === null) return content;
    const shell = withChildren(link, []);
    return [withChildren(from.change === "del" ? sides.importer.bring(shell) : shell, content)];
  });
}

/** A stretch of text with what has happened to it; `null`: nothing. */
export type TextPiece = { readonly text: string; readonly change: ChangeKind | null };

const NAMES: Readonly<Record<string, string>> = {
  "w:drawing": "picture",
  "w:pict": "picture",
  "w:footnoteReference": "footnote",
  "w:endnoteReference": "endnote",
};

/** A piece as a reader is told of it. */
function wordOf({ kind, text, nodes }: Atom): string {
  if (kind === "marker") return "";
  if (kind !== "object" || text !== "") return text;
  const names = nodes.map((node) => (typeof node === "string" ? undefined : NAMES[node.name]));
  return `[${names.find((name) => name !== undefined) ?? "object"}]`;
}

/** The text of a paragraph with its changes. */
export function textPieces(pieces: readonly Piece[]): readonly TextPiece[] {
  return joinPieces([pieces.map(({ atom, change }) => ({ text: wordOf(atom), change }))], "");
}

/** Texts one after the other; neighbours with one change become one piece. */
export function joinPieces(texts: readonly (readonly TextPiece[])[], between: string): readonly TextPiece[] {
  const all = texts.flatMap((pieces, at) => [
    ...(at === 0 ? [] : [{ text: between, change: null }]),
    ...pieces,
  ]);
  const seen = all.filter(({ text }) => text !== "");
  return groupsOf(seen, (a, b) => a.change === b.change).map((group) => ({
    text: group.map(({ text }) => text).join(""),
    change: group[0]?.change ?? null,
  }));
}

/** `[-Three-]{+Four+} apples` */
export function markedText(pieces: readonly TextPiece[]): string {
  return pieces
    .map(({ text, change }) => (change === null ? text : change === "del" ? `[-${text}-]` : `{+${text}+}`))
    .join("");
}
