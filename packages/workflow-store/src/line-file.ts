import { closeSync, fsyncSync, readSync, writeSync } from "node:fs";
import { appendLine, ioFault, isLink, openAppendOnly } from "@uncaged/json-cas-fs";
import { type Fault, ok, type Result } from "@uncaged/workflow-protocol";
import { attempt } from "./attempt.js";
import { damaged, decodeText, readBytes, readEnd, withRegular } from "./files.js";
import { parseRecord, type RecordShape } from "./record.js";

// Append-only files of JSON records, one per line: history.jsonl, children.jsonl, keys.jsonl, registry-history.jsonl,
// removed.jsonl, spent.jsonl.

/** Bytes of a file that is read as a whole: some 400,000 lines. A step reads none of that size. */
export const LARGEST_LINES: number = 64 * 1024 * 1024;

/**
 * The records of a file, those that are `wanted`; every line is checked. A missing file is an empty one; an unterminated last
 * line that is no whole record is a torn write, and skipped.
 */
export function readLines<T>(
  file: string,
  shape: RecordShape<T>,
  wanted: (line: T) => boolean = () => true,
): Result<readonly T[], Fault> {
  const read = readBytes(file, LARGEST_LINES);
  if (!read.ok) return read;
  const bytes = read.value ?? Buffer.alloc(0);
  const lines: T[] = [];
  const take = (line: T | null): boolean => {
    if (line !== null && wanted(line)) lines.push(line);
    return line !== null;
  };
  let [number, at] = [1, 0];
  // Some thousand lines at a time: bun frees a text per line late, and a text of the whole file would stand beside its bytes.
  for (;;) {
    const far = bytes.lastIndexOf("\n", at + PIECE);
    const end = far < at ? bytes.indexOf("\n", at) : far;
    if (end === -1) break;
    const text = decodeText(bytes, at, end);
    if (text === null) return damaged(file, `line ${firstForeign(bytes)}: it is not UTF-8 text`);
    for (const line of text.split("\n")) {
      if (!take(shape.read(parseRecord(line) ?? {})))
        return damaged(file, `line ${number}: ${shape.otherwise}`);
      number += 1;
    }
    at = end + 1;
  }
  take(lineIn(bytes, at, -1, shape));
  return ok(lines);
}

/** The number of the first line that is not UTF-8. */
function firstForeign(bytes: Buffer): number {
  let start = 0;
  for (let number = 1; ; number += 1) {
    const end = bytes.indexOf("\n", start);
    if (decodeText(bytes, start, end) === null) return number;
    start = end + 1;
  }
}

/** `end`: of its newline; -1: it has none. */
function lineIn<T>(bytes: Buffer, start: number, end: number, { read }: RecordShape<T>): T | null {
  const text = decodeText(bytes, start, end === -1 ? bytes.length : end);
  return text === null ? null : read(parseRecord(text) ?? {});
}

/**
 * The records of the lines that begin so, found without reading any other: a step asks this, in a file that may have a
 * hundred thousand lines.
 */
export function readLinesBeginning<T>(
  file: string,
  shape: RecordShape<T>,
): Result<(beginning: string) => Result<readonly T[], Fault>, Fault> {
  const read = readBytes(file, LARGEST_LINES);
  if (!read.ok) return read;
  const bytes = read.value ?? Buffer.alloc(0);
  return ok((beginning) => {
    const lines: T[] = [];
    for (let at = bytes.indexOf(beginning); at !== -1; at = bytes.indexOf(beginning, at + 1)) {
      const end = bytes.indexOf("\n", at);
      const line = lineIn(bytes, at, end, shape);
      if (line !== null) lines.push(line);
      else if (end !== -1) return damaged(file, `in a line of it: ${shape.otherwise}`);
    }
    return ok(lines);
  });
}

/** Bytes that are looked at together: a million ended threads are 130 MB. */
const PIECE = 256 * 1024;

/** Whether a file of any size has this text somewhere; `false` for a missing one. */
export function isMentioned(file: string, text: string): Result<boolean, Fault> {
  const wanted = Buffer.from(text);
  const mentioned = withRegular(file, (fd) => {
    const piece = Buffer.allocUnsafeSlow(PIECE);
    let kept = 0;
    for (;;) {
      const read = readSync(fd, piece, kept, PIECE - kept, null);
      if (read === 0) return false;
      const bytes = piece.subarray(0, kept + read);
      if (bytes.includes(wanted)) return true;
      // The text may begin in this piece and end in the next.
      kept = Math.min(wanted.length - 1, bytes.length);
      piece.copyWithin(0, bytes.length - kept, bytes.length);
    }
  });
  return mentioned.ok ? ok(mentioned.value === true) : mentioned;
}

/** More than any record. */
const LONGEST_LINE = 64 * 1024;

/**
 * Appends lines durably, in one write. The caller holds the file's lock. A last record that only lacks its newline gets it
 * first, and what else is left of a torn write is cut off. A link is `STORE_DAMAGED`: the line would go wherever it leads.
 */
export function appendLines<T>(
  file: string,
  shape: RecordShape<T>,
  lines: readonly T[],
): Result<void, Fault> {
  if (lines.length === 0) return ok(undefined);
  const linked = attempt(() => isLink(file));
  if (!linked.ok) return linked;
  if (linked.value) return damaged(file, "it is not a regular file");
  return attempt(() => {
    const end = readEnd(file, LONGEST_LINE);
    if (lineIn(end, end.lastIndexOf("\n") + 1, -1, shape) !== null) endLine(file);
    appendLine(file, lines.map((line) => JSON.stringify(line)).join("\n"));
  });
}

function endLine(path: string): void {
  const fd = openAppendOnly(path);
  try {
    writeSync(fd, "\n");
    fsyncSync(fd);
  } catch (error) {
    throw ioFault("append to", path, error);
  } finally {
    closeSync(fd);
  }
}
