import { closeSync, readSync } from "node:fs";
import { parseHash } from "@uncaged/json-cas";
import { ioFault } from "@uncaged/json-cas-fs";
import type { CasRef, ThreadId } from "@uncaged/workflow-protocol";
import { openIfThere } from "./files.js";
import { linesOf } from "./logs.js";
import { parseRecord } from "./record.js";

const CHUNK = 256 * 1024;

/**
 * What may be a hash: the last 13 characters of a word. Not only complete JSON strings, as `step` and `raw` are:
 * an agent's stdout is logged as `"…\nHASH\n"`, with the letter of an escape before it, and in either case. A word
 * as long as a thread id is not one, and neither is a time, the only number of 13 digits.
 */
const WORD_END =
  /[0-9A-Fa-f][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{12}(?![0-9A-Za-z])(?<![0-9A-Za-z]{26}|":[0-9]{13})/g;

/** A hash that a chunk may end within. */
const OVERLAP = 14;

type Telling = {
  /** Threads whose lines name no gc root. */
  readonly removed: ReadonlySet<ThreadId>;
  readonly tell: (hash: CasRef) => void;
};

/**
 * Reports the hashes in a log from a byte on, in torn lines too: a log is never validated. Returns where to
 * continue next time. Throws `CasError` `IO_FAILED`.
 */
export function tellLogHashes(file: string, from: number, { removed, tell }: Telling): number {
  const fd = openIfThere(file);
  // Cleared away since the folder was listed.
  if (fd === null) return from;
  try {
    const passed = removed.size === 0 ? [] : linesAbout(file, from, removed);
    return tellFrom(fd, from, passed, tell);
  } catch (error) {
    throw ioFault("read", file, error);
  } finally {
    closeSync(fd);
  }
}

/** Bytes of a file: from `start` to before `end`. */
type Stretch = { readonly start: number; readonly end: number };

/**
 * Where the lines of these threads stand, in order. An unreadable line belongs to no thread: the nodes
 * that it names are kept.
 */
function linesAbout(file: string, from: number, threads: ReadonlySet<ThreadId>): readonly Stretch[] {
  const found: Stretch[] = [];
  let start = from;
  for (const { bytes, end } of linesOf(file, from)) {
    if (bytes !== null && isAbout(bytes, threads)) found.push({ start, end });
    start = end;
  }
  return found;
}

const NAMED = /"thread":"([0-9A-Z]{26})"/g;

/** Parsing is slow: first, whether the line names one of them anywhere. */
function isAbout(bytes: Buffer, threads: ReadonlySet<string>): boolean {
  for (const [, thread = ""] of bytes.toString("latin1").matchAll(NAMED)) {
    if (threads.has(thread)) return threads.has(String(parseRecord(bytes.toString("utf8"))?.thread));
  }
  return false;
}

function tellFrom(
  fd: number,
  from: number,
  passed: readonly Stretch[],
  tell: (hash: CasRef) => void,
): number {
  const buffer = Buffer.allocUnsafe(CHUNK);
  let position = Math.max(0, from - OVERLAP);
  // The first stretch that the chunk may touch.
  let first = 0;
  for (;;) {
    const read = readSync(fd, buffer, 0, CHUNK, position);
    while ((passed[first]?.end ?? Infinity) <= position) first += 1;
    let next = first;
    for (const { 0: word, index } of buffer.toString("latin1", 0, read).matchAll(WORD_END)) {
      const at = position + index;
      while ((passed[next]?.end ?? Infinity) <= at) next += 1;
      const hash = (passed[next]?.start ?? Infinity) <= at ? null : parseHash(word);
      if (hash !== null) tell(hash);
    }
    position += read;
    if (read < CHUNK) return position;
    position -= OVERLAP;
  }
}
