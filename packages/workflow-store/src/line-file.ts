import { closeSync, fsyncSync, writeSync } from "node:fs";
import { appendLine, ioFault, isLink, openAppendOnly } from "@uncaged/json-cas-fs";
import { err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import { attempt } from "./attempt.js";
import { readBytes, readTail } from "./files.js";
import { parseRecord } from "./json.js";

// Append-only files of JSON records, one per line: history.jsonl, children.jsonl, keys.jsonl, registry-history.jsonl,
// removed.jsonl, spent.jsonl.

/** What a line of a file is. */
export type LineShape<T> = {
  /** `null`: it is not one. */
  readonly asLine: (record: Readonly<Record<string, unknown>>) => T | null;
  /** Its fields, for the sentence about a wrong one: `{thread, at}`. */
  readonly fields: string;
};

/** Bytes of a file that is read as a whole: some 400,000 lines. A step reads none of that size. */
export const LARGEST_LINES: number = 64 * 1024 * 1024;

/**
 * The records of a file, those that are `wanted`; every line is checked. A missing file is an empty one; an unterminated last
 * line that is no whole record is a torn write, and skipped.
 */
export function readLines<T>(
  file: string,
  { asLine, fields }: LineShape<T>,
  wanted: (line: T) => boolean = () => true,
): Result<readonly T[], Fault> {
  const read = readBytes(file, LARGEST_LINES);
  if (!read.ok) return read;
  const bytes = read.value ?? Buffer.alloc(0);
  const lines: T[] = [];
  // Line by line: a text of the whole file and all its lines would be held beside the records.
  let start = 0;
  for (let number = 1; ; number += 1) {
    const end = bytes.indexOf("\n", start);
    const line = asLine(parseRecord(bytes.toString("utf8", start, end === -1 ? bytes.length : end)) ?? {});
    if (line !== null && wanted(line)) lines.push(line);
    if (end === -1) return ok(lines);
    if (line === null)
      return err(fault("STORE_DAMAGED", { file, reason: `line ${number}: it is not ${fields}` }));
    start = end + 1;
  }
}

/** Appends lines durably, in one write; a torn last line is cut off first. The caller holds the file's lock. */
export function appendLines<T>(
  file: string,
  { asLine }: LineShape<T>,
  lines: readonly T[],
): Result<void, Fault> {
  if (lines.length === 0) return ok(undefined);
  const closed = withWholeLines(file, (text) => asLine(parseRecord(text) ?? {}) !== null);
  if (!closed.ok) return closed;
  return attempt(() => appendLine(file, lines.map((line) => JSON.stringify(line)).join("\n")));
}

/**
 * Before `appendLine`: a last record that only lacks its newline gets it, or it would be cut off as torn. A link is
 * `STORE_DAMAGED`: the line would go wherever it leads.
 */
function withWholeLines(path: string, isWhole: (line: string) => boolean): Result<void, Fault> {
  const linked = attempt(() => isLink(path));
  if (!linked.ok) return linked;
  if (linked.value) return err(fault("STORE_DAMAGED", { file: path, reason: "it is not a regular file" }));
  return attempt(() => {
    const end = readTail(path, LONGEST_LINE);
    const last = end.slice(end.lastIndexOf("\n") + 1);
    if (last !== "" && isWhole(last)) endLine(path);
  });
}

/** More than any record. */
const LONGEST_LINE = 64 * 1024;

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
