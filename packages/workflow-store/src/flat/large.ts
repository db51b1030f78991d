import { fstatSync, readSync } from "node:fs";
import { type Hash, isHash } from "@uncaged/json-cas";
import { VALUE, VALUE_WIDTH } from "./canonical.js";
import type { FlatEdit, FlatSpec } from "./types.js";

// A step wants one of perhaps a hundred thousand threads. In a large file its line is looked at, that there is only one
// of it, and that the file is a whole number of lines as long as this one: a file that was cut short or edited by hand
// fails that, and is parsed whole. All other lines are carried over byte by byte, whatever they hold. The file passes
// through one small buffer: memory for 4 MB that is used once takes longer than reading them.

/** Smaller files (some 6,000 threads, 2 ms) are checked whole even when one line is wanted. */
const LARGE = 256 * 1024;

/** Bytes that are read at once. */
const CHUNK = 64 * 1024;

/** Longer than any line of our own form. */
const LINE_LIMIT = 512;

const NEWLINE = 10;

/** A key's line in an open file of `size` bytes. */
export type Line = {
  readonly start: number;
  readonly end: number;
  readonly size: number;
  readonly hash: Hash;
};

/** The one line of a key in an open file, or `null` when the file is small or has to be parsed whole to know it. */
export function findLine(fd: number, spec: FlatSpec, key: string): Line | null {
  const { size } = fstatSync(fd);
  if (size <= LARGE) return null;
  const start = onlyStart(fd, size, key);
  if (start === null) return null;
  const text = textAt(fd, start, LINE_LIMIT);
  const line = text.slice(0, text.indexOf("\n") + 1);
  if (!new RegExp(`^(?:${spec.key})${VALUE}$`).test(line) || size % line.length !== 0) return null;
  if (textAt(fd, size - 1, 1) !== "\n") return null;
  const hash = line.slice(-VALUE_WIDTH + 2, -2);
  return isHash(hash) ? { start, end: start + line.length, size, hash } : null;
}

/** Where the key's line begins; `null` when there is none, or more than one. */
function onlyStart(fd: number, size: number, key: string): number | null {
  const wanted = Buffer.from(`\n${key}: `, "latin1");
  const buffer = Buffer.allocUnsafe(CHUNK);
  // As if a line ended before the first one.
  buffer[0] = NEWLINE;
  let [kept, offset] = [1, 0];
  let found: number | null = null;
  while (offset < size) {
    const length = readSync(fd, buffer, kept, CHUNK - kept, offset);
    if (length === 0) return null;
    const filled = buffer.subarray(0, kept + length);
    for (let at = filled.indexOf(wanted); at !== -1; at = filled.indexOf(wanted, at + 1)) {
      if (found !== null) return null;
      found = offset - kept + at + 1;
    }
    offset += length;
    // What a line that was cut here may begin with.
    kept = Math.min(wanted.length - 1, filled.length);
    filled.copy(buffer, 0, filled.length - kept);
  }
  return found;
}

function textAt(fd: number, offset: number, limit: number): string {
  const buffer = Buffer.allocUnsafe(limit);
  return buffer.toString("latin1", 0, readSync(fd, buffer, 0, limit, offset));
}

/** Writes the whole file with another hash in the line, or without the line. Throws what the system says, `EIO` too. */
export function writeWithLine(
  fd: number,
  { start, end, size }: Line,
  { key, value }: FlatEdit,
  write: (bytes: Uint8Array) => void,
): void {
  const buffer = Buffer.allocUnsafe(CHUNK);
  copy(fd, buffer, { from: 0, to: start }, write);
  if (value !== null) write(Buffer.from(`${key}: "${value}"\n`, "latin1"));
  copy(fd, buffer, { from: end, to: size }, write);
}

function copy(
  fd: number,
  buffer: Buffer,
  { from, to }: { readonly from: number; readonly to: number },
  write: (bytes: Uint8Array) => void,
): void {
  for (let offset = from; offset < to; ) {
    const length = readSync(fd, buffer, 0, Math.min(CHUNK, to - offset), offset);
    if (length === 0) throw becameShorter();
    write(buffer.subarray(0, length));
    offset += length;
  }
}

/** Somebody edits it in place at this moment: as the system puts what cannot be read. */
function becameShorter(): Error {
  return Object.assign(new Error("EIO: it has become shorter, read"), { code: "EIO" });
}
