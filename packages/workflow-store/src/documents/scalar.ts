import type { Scalar } from "yaml";

/** A piece of a scalar's source, and how much of it the value has that is no blank. */
type Piece = { readonly at: number; readonly length: number; readonly filled: number };

/**
 * Where the character at `offset` of a scalar's value stands in the text of the file. Blanks are folded, cut and added
 * by YAML; all other characters keep their order, so they are counted. A blank is placed at what follows it.
 */
export function placeInScalar(scalar: Scalar, text: string, offset: number): number | null {
  const { range, value, type } = scalar;
  if (range === undefined || range === null || typeof value !== "string") return null;
  let left = filledIn(value.slice(0, offset));
  let last: number | null = null;
  for (const { at, length, filled } of piecesOf(text, range[0], range[1], type)) {
    if (filled === 0) continue;
    if (left < filled) return at + Math.min(left, length - 1);
    left -= filled;
    last = at;
  }
  return last;
}

function filledIn(text: string): number {
  return text.replace(/\s/g, "").length;
}

const ESCAPE = /\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|[\s\S])/y;

/** Escapes of double quotes that stand for a blank, or for nothing at the end of a line. */
const BLANK_ESCAPE =
  /^\\(?:[ \t\r\n]|[tnvfr_NLP]|x(?:09|0[aA]|0[bB]|0[cC]|0[dD]|20|[aA]0)|u00(?:09|0[aA]|0[dD]|20|[aA]0))$/;

function* piecesOf(text: string, from: number, to: number, type: Scalar["type"]): Generator<Piece> {
  let at = from;
  const quoted = type === "QUOTE_DOUBLE" || type === "QUOTE_SINGLE";
  const end = quoted ? to - 1 : to;
  if (quoted) at += 1;
  else if (type === "BLOCK_LITERAL" || type === "BLOCK_FOLDED") {
    const header = text.indexOf("\n", from);
    at = header === -1 ? to : header + 1;
  }
  while (at < end) {
    const piece = pieceAt(text, at, type);
    yield piece;
    at += piece.length;
  }
}

function pieceAt(text: string, at: number, type: Scalar["type"]): Piece {
  if (type === "QUOTE_SINGLE" && text.startsWith("''", at)) return { at, length: 2, filled: 1 };
  if (type === "QUOTE_DOUBLE" && text[at] === "\\") {
    ESCAPE.lastIndex = at;
    const written = ESCAPE.exec(text)?.[0] ?? "\\";
    const astral = written.startsWith("\\U") && Number.parseInt(written.slice(2), 16) > 0xffff;
    return { at, length: written.length, filled: BLANK_ESCAPE.test(written) ? 0 : astral ? 2 : 1 };
  }
  return { at, length: 1, filled: /\s/.test(text[at] ?? "") ? 0 : 1 };
}
