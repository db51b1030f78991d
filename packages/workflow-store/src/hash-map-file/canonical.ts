import { type Hash, isHash } from "@uncaged/json-cas";
import type { HashMap, HashMapEdit, HashMapSpec } from "./types.js";

// The form that we write ourselves, read without a YAML parser:
//
//   01ARZ3NDEKTSV4RRFFQ69G5FAV: "0123456789ABC"\n     keys strictly ascending, every line ended by LF
//   {}\n                                              the empty map
//
// It is a subset of YAML, so whatever is not of this form is left to the parser.

export const EMPTY = "{}\n";

/** `: "` + 13 characters + `"` */
const VALUE_WIDTH = 17;
const VALUE = ': "[0-9A-F][0-9A-HJKMNP-TV-Z]{12}"\n';

/** The map, or `null` when a person (or a fault) gave the file another form. */
export function parseCanonical(text: string, spec: HashMapSpec): HashMap | null {
  if (text === EMPTY) return new Map();
  const line = new RegExp(`(?:${spec.key})${VALUE}`, "y");
  const map = new Map<string, Hash>();
  let previous = "";
  for (let start = 0; start < text.length; start = line.lastIndex) {
    line.lastIndex = start;
    if (!line.test(text)) return null;
    const key = text.slice(start, line.lastIndex - 1 - VALUE_WIDTH);
    const value = hashAt(text, line.lastIndex - 1);
    if (value === null || key <= previous) return null;
    map.set(key, value);
    previous = key;
  }
  return map.size === 0 ? null : map;
}

/** The text with one line set or taken out; every other byte stays. `text` must be canonical. */
export function spliceCanonical(text: string, { key, value }: HashMapEdit): string {
  const body = text === EMPTY ? "" : text;
  const there = lineStart(body, key);
  const start = there ?? insertionPoint(body, key);
  const end = there === null ? start : body.indexOf("\n", start) + 1;
  const line = value === null ? "" : `${key}: "${value}"\n`;
  return body.slice(0, start) + line + body.slice(end) || EMPTY;
}

/** The hash of the line that ends at `end`. */
function hashAt(text: string, end: number): Hash | null {
  const value = text.slice(end - VALUE_WIDTH + 3, end - 1);
  return isHash(value) ? value : null;
}

/** Where the key's line begins. */
function lineStart(body: string, key: string): number | null {
  if (body.startsWith(`${key}: `)) return 0;
  const before = body.indexOf(`\n${key}: `);
  return before === -1 ? null : before + 1;
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
