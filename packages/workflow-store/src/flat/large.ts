import { type Hash, isHash } from "@uncaged/json-cas";
import { VALUE, VALUE_WIDTH } from "./canonical.js";
import type { FlatSpec } from "./types.js";

// A step wants one of perhaps a hundred thousand threads. In a large file its line is looked at, that there is only one
// of it, and that the file is a whole number of lines as long as this one: a file that was cut short or edited by hand
// fails that, and is parsed whole. All other lines are carried over byte by byte, whatever they hold.

/** Smaller files (some 6,000 threads, 2 ms) are checked whole even when one line is wanted. */
const LARGE = 256 * 1024;

const NEWLINE = 10;

/** A key's line in the bytes of a large file. */
export type Line = { readonly start: number; readonly end: number; readonly hash: Hash };

/** The one line of a key, or `null` when the file has to be parsed whole to know it. */
export function findLine(bytes: Buffer, spec: FlatSpec, key: string): Line | null {
  if (bytes.length <= LARGE || bytes.at(-1) !== NEWLINE) return null;
  const start = startOf(bytes, key);
  if (start === null || bytes.includes(`\n${key}: `, start, "latin1")) return null;
  const end = bytes.indexOf(NEWLINE, start) + 1;
  const line = bytes.toString("latin1", start, end);
  if (!new RegExp(`^(?:${spec.key})${VALUE}$`).test(line) || bytes.length % line.length !== 0) return null;
  const hash = line.slice(-VALUE_WIDTH + 2, -2);
  return isHash(hash) ? { start, end, hash } : null;
}

function startOf(bytes: Buffer, key: string): number | null {
  const first = `${key}: `;
  if (bytes.toString("latin1", 0, first.length) === first) return 0;
  const before = bytes.indexOf(`\n${first}`, 0, "latin1");
  return before === -1 ? null : before + 1;
}

/** The bytes with another hash in the line, or without the line. */
export function withLine(bytes: Buffer, { start, end }: Line, key: string, value: Hash | null): Buffer {
  const line = value === null ? "" : `${key}: "${value}"\n`;
  return Buffer.concat([bytes.subarray(0, start), Buffer.from(line, "latin1"), bytes.subarray(end)]);
}
