import { type Hash, isHash } from "@uncaged/json-cas";
import type { FlatEdit, FlatEntry, FlatMap, FlatSpec } from "./types.js";

// The form that we write ourselves, read without a YAML parser:
//
//   01ARZ3NDEKTSV4RRFFQ69G5FAV: "0123456789ABC"\n     keys strictly ascending, every line ended by LF
//   {}\n                                              the empty map
//
// It is a subset of YAML, so whatever is not of this form is left to the parser. Of a hundred thousand threads a step
// wants one: lines are checked where they stand, and only what is asked for is cut out.

export const EMPTY = "{}\n";

/** `: "` + 13 characters + `"` */
const VALUE_WIDTH = 17;
const COLON = 58;
const VALUE = ': "[0-9A-F][0-9A-HJKMNP-TV-Z]{12}"\n';

/** The map, or `null` when a person (or a fault) gave the file another form. */
export function parseCanonical(text: string, spec: FlatSpec): FlatMap | null {
  if (text === EMPTY) return { get: () => null, entries: () => [] };
  if (!isCanonical(text, spec)) return null;
  return { get: (key) => hashOf(text, key), entries: () => entriesOf(text) };
}

/** The text with one line set or taken out; every other byte stays. `text` must be canonical. */
export function spliceCanonical(text: string, { key, value }: FlatEdit): string {
  const body = text === EMPTY ? "" : text;
  const start = lineStart(body, key) ?? insertionPoint(body, key);
  const end = lineStart(body, key) === null ? start : body.indexOf("\n", start) + 1;
  const line = value === null ? "" : `${key}: "${value}"\n`;
  return body.slice(0, start) + line + body.slice(end) || EMPTY;
}

function isCanonical(text: string, spec: FlatSpec): boolean {
  const line = new RegExp(`(?:${spec.key})${VALUE}`, "y");
  let previous = -1;
  let start = 0;
  while (start < text.length) {
    line.lastIndex = start;
    if (!line.test(text) || (previous !== -1 && !isAscending(text, previous, start))) return false;
    previous = start;
    start = line.lastIndex;
  }
  return text !== "";
}

/** Whether the key at `a` sorts before the key at `b`, as strings do: the colon is the end of a key, not one of its characters. */
function isAscending(text: string, a: number, b: number): boolean {
  for (let offset = 0; ; offset += 1) {
    const [left, right] = [text.charCodeAt(a + offset), text.charCodeAt(b + offset)];
    if (left !== right) return right !== COLON && (left === COLON || left < right);
    if (left === COLON) return false;
  }
}

function hashOf(text: string, key: string): Hash | null {
  const start = lineStart(text, key);
  return start === null ? null : hashAt(text, text.indexOf("\n", start));
}

function hashAt(text: string, end: number): Hash | null {
  const value = text.slice(end - VALUE_WIDTH + 3, end - 1);
  return isHash(value) ? value : null;
}

function entriesOf(text: string): readonly FlatEntry[] {
  const entries: FlatEntry[] = [];
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf("\n", start);
    const value = hashAt(text, end);
    if (value !== null) entries.push([text.slice(start, end - VALUE_WIDTH), value]);
    start = end + 1;
  }
  return entries;
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
