import { accessSync, appendFileSync, closeSync, constants, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { ioFault, makeDir, openAppendOnly } from "@uncaged/json-cas-fs";
import { type Fault, isThreadId, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import { attempt } from "./attempt.js";
import { decodeText, folderNames, openIfThere, readEnd } from "./files.js";
import { isEpochMs, parseRecord } from "./record.js";
import type { Storage } from "./storage.js";

/** One line of the log. */
export type LogEntry = {
  readonly tag: string;
  readonly content: string;
  /** Epoch ms. */
  readonly timestamp: number;
  readonly thread: ThreadId | null;
  /** The whole line as it stands in the file; what it has beyond the four depends on its tag. */
  readonly line: Readonly<Record<string, unknown>>;
};

/** Which lines; `null` is no condition. */
export type LogQuery = {
  /** Epoch ms: nothing older. */
  readonly since: number | null;
  readonly thread: ThreadId | null;
};

/** One file of the log: a day in UTC, `2026-01-31`. */
export type LogDay = { readonly day: string; readonly file: string };

/**
 * uwf's entries are three levels deep; a deeper one by another program must not overflow the stack of a
 * printer.
 */
const MAX_DEPTH = 32;

/** The gate from a line of text to an entry of the log; `null` for a torn or foreign one. */
function asLogEntry(bytes: Buffer): LogEntry | null {
  const text = decodeText(bytes);
  const line = text === null ? null : parseRecord(text);
  if (line === null || !isShallow(line, MAX_DEPTH)) return null;
  const { tag, content, timestamp, thread = null } = line;
  if (typeof tag !== "string" || typeof content !== "string" || !isEpochMs(timestamp)) return null;
  if (thread !== null && !isThreadId(thread)) return null;
  return { tag, content, timestamp, thread, line };
}

function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return depth > 0 && Object.values(value).every((each) => isShallow(each, depth - 1));
}

const CHUNK = 256 * 1024;

const NEWLINE = 10;

/** Ours stay far below: of what an agent wrote they hold 4096 characters each of stdout and stderr. */
const MAX_LINE = 4 * 1024 * 1024;

/** A line of a file. */
type RawLine = {
  /** Without its newline, and good until the next line is asked for; `null` for one that is longer than any of ours. */
  readonly bytes: Buffer | null;
  /** Where the next line begins. */
  readonly end: number;
  /** `false` only for the last line of a file, whose newline has not been written. */
  readonly whole: boolean;
};

/**
 * The lines of a file from a byte on, one chunk in memory at a time; none when there is no file. What grows while it
 * is read is read too. Throws `CasError` `IO_FAILED`.
 */
export function* linesOf(path: string, offset: number): Generator<RawLine> {
  const fd = openIfThere(path);
  if (fd === null) return;
  const buffer = Buffer.allocUnsafe(CHUNK);
  let position = offset;
  let rest: Buffer | null = EMPTY;
  try {
    for (let chunk = readChunk(fd, path, buffer, position); chunk.length > 0; ) {
      let start = 0;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, start)) {
        const bytes = joined(rest, chunk.subarray(start, at));
        start = at + 1;
        rest = EMPTY;
        yield { bytes, end: position + start, whole: true };
      }
      // A copy: the buffer is filled anew.
      rest = joined(rest, Buffer.from(chunk.subarray(start)));
      position += chunk.length;
      chunk = readChunk(fd, path, buffer, position);
    }
  } finally {
    closeSync(fd);
  }
  if (rest === null || rest.length > 0) yield { bytes: rest, end: position, whole: false };
}

const EMPTY: Buffer = Buffer.alloc(0);

/** `null` once a line has grown too long: the rest of it is passed over. */
function joined(start: Buffer | null, more: Buffer): Buffer | null {
  if (start === null || start.length + more.length > MAX_LINE) return null;
  return start.length === 0 ? more : Buffer.concat([start, more]);
}

function readChunk(fd: number, path: string, buffer: Buffer, position: number): Buffer {
  try {
    return buffer.subarray(0, readSync(fd, buffer, 0, buffer.length, position));
  } catch (error) {
    throw ioFault("read", path, error);
  }
}

// A line lies in the file of its own timestamp's day, so a file before the day of `since` is not even opened. Within
// a file the order is that of writing. Readers hold one chunk and one line, whatever the size of the log.

const DAY_FILE = /^(\d{4}-\d{2}-\d{2})\.jsonl$/;

/** The files that can hold something since then, oldest first. One that may not be read is a fault, before anything is printed. */
export function logDays(storage: Storage, since: LogQuery["since"]): Result<readonly LogDay[], Fault> {
  const first = since === null ? "" : dayOf(since);
  return attempt(() =>
    folderNames(storage.paths.logs).flatMap((name) => {
      const day = DAY_FILE.exec(name)?.[1];
      if (day === undefined || day < first) return [];
      const file = join(storage.paths.logs, name);
      assertReadable(file);
      return [{ day, file }];
    }),
  );
}

/** The day's file for a moment, whether it exists or not. */
export function logDayOf(storage: Storage, timestamp: number): LogDay {
  const day = dayOf(timestamp);
  return { day, file: join(storage.paths.logs, `${day}.jsonl`) };
}

/** From which byte a day is read, and whether a last line counts whose newline has not been written. */
type LogCut = { readonly offset: number; readonly unfinished: boolean };

const WHOLE_DAY: LogCut = { offset: 0, unfinished: true };

/**
 * The entries of one day that fit the query, as they were written; `null` for every torn or foreign line that might
 * have been one. Returns the byte after the last whole line: where to look on later. Throws `CasError` `IO_FAILED`.
 */
export function* readLogDay(
  { file }: LogDay,
  query: LogQuery,
  { offset, unfinished } = WHOLE_DAY,
): Generator<LogEntry | null, number> {
  let end = offset;
  for (const line of linesOf(file, offset)) {
    if (line.whole) end = line.end;
    else if (!unfinished) break;
    const entry = fittingEntry(line, query);
    if (entry !== "other") yield entry;
  }
  return end;
}

/** What `pick` makes of the entries that fit, as they were written, without `null`. */
export function pickEntries<T>(
  storage: Storage,
  query: LogQuery,
  pick: (entry: LogEntry) => T | null,
): Result<readonly T[], Fault> {
  const days = logDays(storage, query.since);
  if (!days.ok) return days;
  return attempt(() => {
    const picked: T[] = [];
    for (const day of days.value)
      for (const entry of readLogDay(day, query)) {
        const part = entry === null ? null : pick(entry);
        if (part !== null) picked.push(part);
      }
    return picked;
  });
}

/** A search for many threads at once reads this many bytes at the end of the log, which takes 0.1 s. */
const RECENT_BYTES = 32 * 1024 * 1024;

/**
 * The entries near the end of the log whose line has one of these texts, oldest first. A text with quotes is not found
 * within the words of an agent, where quotes are escaped. Throws `CasError` `IO_FAILED`.
 */
export function* recentEntries(days: readonly LogDay[], texts: readonly string[]): Generator<LogEntry> {
  const wanted = texts.map((text) => Buffer.from(text));
  for (const { file, offset } of recentParts(days)) {
    for (const { bytes } of linesOf(file, offset)) {
      const isWanted = bytes !== null && wanted.some((text) => bytes.includes(text));
      const entry = isWanted ? asLogEntry(bytes) : null;
      if (entry !== null) yield entry;
    }
  }
}

function recentParts(days: readonly LogDay[]): readonly { readonly file: string; readonly offset: number }[] {
  const parts: { readonly file: string; readonly offset: number }[] = [];
  let left = RECENT_BYTES;
  for (const day of [...days].reverse()) {
    if (left <= 0) break;
    parts.unshift({ file: day.file, offset: logOffset(day, left) });
    left -= statSync(day.file, { throwIfNoEntry: false })?.size ?? 0;
  }
  return parts;
}

/** The offset of the first line that lies wholly within the last `bytes` of a day. Throws `CasError` `IO_FAILED`. */
export function logOffset({ file }: LogDay, bytes: number): number {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (bytes >= size) return 0;
  const [cutLine] = linesOf(file, size - bytes);
  return cutLine?.end ?? 0;
}

/** Most lines are of other threads: those are skipped before anything is parsed. */
function fittingEntry({ bytes }: RawLine, { since, thread }: LogQuery): LogEntry | "other" | null {
  if (bytes === null) return null;
  if (bytes.length === 0 || (thread !== null && !bytes.includes(thread))) return "other";
  const entry = asLogEntry(bytes);
  if (entry === null) return null;
  const fits = (since === null || entry.timestamp >= since) && (thread === null || entry.thread === thread);
  return fits ? entry : "other";
}

function assertReadable(file: string): void {
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    throw ioFault("read", file, error);
  }
}

function dayOf(timestamp: number): string {
  return new Date(timestamp).toISOString().slice(0, 10);
}

/** Room for some of the longest lines that a run writes. */
const TAIL_BYTES = 64 * 1024;

/** The time of the last thing that was logged, epoch ms; `null` where nothing was. */
export function newestLogTime(storage: Storage): Result<number | null, Fault> {
  const days = logDays(storage, null);
  if (!days.ok) return days;
  return attempt(() => {
    const last = days.value.at(-1);
    const lines = last === undefined ? [] : readEnd(last.file, TAIL_BYTES).toString("latin1").split("\n");
    const times = lines.flatMap((line) => asLogEntry(Buffer.from(line, "latin1"))?.timestamp ?? []);
    return times.length === 0 ? null : Math.max(...times);
  });
}

/** Writes what another store has logged, oldest first, into a storage root that has no log of its own. */
export function copyLog({ paths }: Storage, lines: readonly Omit<LogEntry, "line">[]): Result<void, Fault> {
  return attempt(() => {
    makeDir(paths.logs);
    for (const line of lines) {
      const file = join(paths.logs, `${dayOf(line.timestamp)}.jsonl`);
      const fd = openAppendOnly(file);
      try {
        appendFileSync(fd, `${JSON.stringify(line)}\n`);
      } finally {
        closeSync(fd);
      }
    }
  });
}
