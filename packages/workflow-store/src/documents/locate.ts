import { isMap, isNode, isScalar, isSeq, type Node, type Scalar, type YAMLMap } from "yaml";
import { type Locate, type Position, segmentsOf } from "../shape.js";

/** Line and column of an offset; columns count UTF-16 units as editors do. */
export function createLines(text: string): (offset: number) => Position {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    const line = lastAtOrBefore(starts, offset);
    return { line: line + 1, column: offset - (starts[line] ?? 0) + 1 };
  };
}

function lastAtOrBefore(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** A piece of a scalar's source, and how many of its non-blank characters the value has. */
type Piece = { readonly at: number; readonly length: number; readonly filled: number };

/**
 * The position in the file of the character at `offset` of a scalar's value. YAML folds, cuts and adds blanks; all
 * other characters keep their order, so they are counted. A blank gets the position of what follows it.
 */
function placeInScalar(scalar: Scalar, text: string, offset: number): number | null {
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

/** Escapes of double quotes that represent a blank, or nothing at the end of a line. */
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

type Found = { readonly offset: number; readonly value: unknown };

/** Follows a JSON Pointer through the syntax tree; each map is indexed once, when it is first asked for. */
export function createLocate(root: Node | null, lines: (offset: number) => Position, text: string): Locate {
  const indexes = new WeakMap<YAMLMap, ReadonlyMap<string, Found>>();
  const entriesOf = (map: YAMLMap): ReadonlyMap<string, Found> => {
    const known = indexes.get(map);
    if (known !== undefined) return known;
    const index = indexOf(map);
    indexes.set(map, index);
    return index;
  };
  return (pointer, offset = null) => {
    let at: Found = { offset: offsetOf(root), value: root };
    for (const segment of segmentsOf(pointer)) {
      const next = childOf(at.value, segment, entriesOf);
      if (next === null) return lines(at.offset);
      at = next;
    }
    if (offset === null) return lines(at.offset);
    if (offset === "value") return lines(valueOffset(at));
    return lines((isScalar(at.value) ? placeInScalar(at.value, text, offset) : null) ?? at.offset);
  };
}

/** A value that takes lines of its own, or none, is shown by its key. */
function valueOffset({ offset, value }: Found): number {
  if (isScalar(value)) return value.source === "" && value.type === "PLAIN" ? offset : offsetOf(value);
  return (isMap(value) || isSeq(value)) && value.flow === true ? offsetOf(value) : offset;
}

function childOf(
  node: unknown,
  segment: string,
  entriesOf: (map: YAMLMap) => ReadonlyMap<string, Found>,
): Found | null {
  if (isMap(node)) return entriesOf(node).get(segment) ?? null;
  if (!isSeq(node) || !/^\d+$/.test(segment)) return null;
  const item = node.items[Number(segment)];
  return item === undefined ? null : { offset: offsetOf(item), value: item };
}

function indexOf(map: YAMLMap): ReadonlyMap<string, Found> {
  const index = new Map<string, Found>();
  for (const { key, value } of map.items) {
    if (isScalar(key)) index.set(String(key.value), { offset: offsetOf(key), value });
  }
  return index;
}

export function offsetOf(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}
