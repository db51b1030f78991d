import { type Hash, isHash } from "@uncaged/json-cas";
import type { FlatEdit, FlatMap, FlatSpec } from "./types.js";

// The form that we write ourselves, read without a YAML parser:
//
//   01ARZ3NDEKTSV4RRFFQ69G5FAV: "0123456789ABC"\n     keys strictly ascending, every line ended by LF
//   {}\n                                              the empty map
//
// It is a subset of YAML, so whatever is not of this form is left to the parser.

export const EMPTY = "{}\n";
/** `: "` + 13 characters + `"` */
const VALUE_WIDTH = 17;

/** The map, or `null` when a person (or a fault) gave the file another form. */
export function parseCanonical(text: string, spec: FlatSpec): FlatMap | null {
  if (text === EMPTY) return new Map();
  if (!text.endsWith("\n")) return null;
  const map = new Map<string, Hash>();
  let previous = "";
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf("\n", start);
    const key = text.slice(start, end - VALUE_WIDTH);
    const value = hashAt(text, start, end);
    if (value === null || key <= previous || !spec.key.test(key)) return null;
    map.set(key, value);
    previous = key;
    start = end + 1;
  }
  return map.size === 0 ? null : map;
}

/** The text with one line set or taken out; every other byte stays. `text` must be canonical. */
export function spliceCanonical(text: string, { key, value }: FlatEdit): string {
  const body = text === EMPTY ? "" : text;
  const [start, end] = placeOf(body, key);
  const line = value === null ? "" : `${key}: "${value}"\n`;
  return body.slice(0, start) + line + body.slice(end) || EMPTY;
}

function hashAt(text: string, start: number, end: number): Hash | null {
  const from = end - VALUE_WIDTH;
  if (from <= start || !text.startsWith(': "', from) || text.charAt(end - 1) !== '"') return null;
  const value = text.slice(from + 3, end - 1);
  return isHash(value) ? value : null;
}

/** Where the key's line stands, or the empty place where it belongs. */
function placeOf(body: string, key: string): readonly [number, number] {
  const start = body.startsWith(`${key}: `) ? 0 : body.indexOf(`\n${key}: `) + 1;
  if (start > 0 || body.startsWith(`${key}: `)) return [start, body.indexOf("\n", start) + 1];
  const place = insertionPoint(body, key);
  return [place, place];
}

function insertionPoint(body: string, key: string): number {
  // Thread ids ascend with time, so a new line nearly always is the last one.
  const lastLine = body.lastIndexOf("\n", body.length - 2) + 1;
  if (body.slice(lastLine, body.indexOf(":", lastLine)) < key) return body.length;
  let start = 0;
  while (start < body.length && body.slice(start, body.indexOf(":", start)) < key) {
    start = body.indexOf("\n", start) + 1;
  }
  return start;
}
