import { type Atom, groupsOf } from "../inline/index.js";
import type { Piece } from "./paragraph.js";

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

/** A text with its changes: `[-Three-]{+Four+} apples`. */
export function piecesText(pieces: readonly Piece[]): string {
  const seen = pieces.filter(({ atom }) => atom.kind !== "marker");
  return groupsOf(seen, (a, b) => a.change === b.change)
    .map((group) => markedText(group.map(({ atom }) => wordOf(atom)).join(""), group[0]?.change ?? null))
    .join("");
}

export function markedText(text: string, change: Piece["change"]): string {
  if (change === null) return text;
  return change === "del" ? `[-${text}-]` : `{+${text}+}`;
}
