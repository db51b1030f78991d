import { type Atom, buildRuns, formatKey, groupsOf, readParagraph, wordsOf } from "../inline/index.js";
import { childOf, withChildren, type XmlElement } from "../xml/index.js";
import type { Importer } from "./import.js";
import { type ChangeKind, type Marker, markContent } from "./mark.js";
import { matchSequences } from "./sequence.js";
import { linkKey, objectKey, type Side } from "./side.js";

/** The two documents, and what their comparison makes. */
export type Pairing = {
  readonly old: Side;
  readonly new: Side;
  readonly marker: Marker;
  readonly importer: Importer;
};

/** A piece of a paragraph with what has happened to it. */
export type Piece = { readonly atom: Atom; readonly change: ChangeKind | null };

type Token = { readonly atom: Atom; readonly key: string };

/** The words and objects of a paragraph; markers, and texts of no length, are left out. */
function tokensOf(paragraph: XmlElement, side: Side): readonly Token[] {
  return readParagraph(paragraph).flatMap((atom): readonly Token[] => {
    if (atom.kind === "marker") return [];
    if (atom.kind !== "text") return [{ atom, key: `o${objectKey(atom, side)}` }];
    const style = `t${formatKey(atom.format)}${linkKey(atom.link, side)}|`;
    return wordsOf(atom.text).map((text) => ({ atom: { ...atom, text }, key: style + text }));
  });
}

/** What two paragraphs have in common, word by word, with the markers of the new one. */
export function comparePieces(old: XmlElement, now: XmlElement, sides: Pairing): readonly Piece[] {
  const come = tokensOf(now, sides.new);
  const matches = matchSequences(tokensOf(old, sides.old), come, ({ key }) => key);
  const pieces = matches.flatMap((match): readonly Piece[] => {
    if (match.kind === "same") return [{ atom: match.new.atom, change: null }];
    return [
      ...match.old.map(({ atom }) => ({ atom, change: "del" as const })),
      ...match.new.map(({ atom }) => ({ atom, change: "ins" as const })),
    ];
  });
  return withMarkers(joinAcrossSpaces(pieces), now, come);
}

/** Markers stand before the piece that follows them in the new document. */
function withMarkers(pieces: readonly Piece[], now: XmlElement, tokens: readonly Token[]): readonly Piece[] {
  const before = new Map<Atom | null, readonly Atom[]>();
  const waiting = [...tokens];
  let held: readonly Atom[] = [];
  for (const atom of readParagraph(now)) {
    if (atom.kind === "marker") {
      held = [...held, atom];
      continue;
    }
    const [first] = waiting;
    if (held.length > 0 && first !== undefined) before.set(first.atom, held);
    held = [];
    let length = 0;
    do length += waiting.shift()?.atom.text.length ?? 0;
    while (atom.kind === "text" && length < atom.text.length && waiting.length > 0);
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
    if (isBetween && last !== undefined) last.push(...group.flatMap(twice));
    else if (last !== undefined && group[0]?.change !== null && last[0]?.change !== null) last.push(...group);
    else joined.push([...group]);
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
