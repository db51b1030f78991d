import { type Atom, groupsOf } from "../inline/index.js";
import type { ChangeKind } from "./mark.js";
import type { Piece } from "./paragraph.js";

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
