import {
  accessSync,
  appendFileSync,
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { CasError } from "@uncaged/json-cas";
import { errnoOf, ioFault, makeDir, openAppendOnly } from "@uncaged/json-cas-fs";
import {
  EVENTS,
  type EventOf,
  eventKindIn,
  type Fault,
  isThreadId,
  type Result,
  type RunFailure,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { attempt } from "./attempt.js";
import { folderNames, readTail } from "./files.js";
import { isEpochMs, parseRecord } from "./json.js";
import type { FoundRun } from "./runs/index.js";
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

/** The runs of a thread since its last step that gave no step. */
export type FailedRuns = {
  /** The agent failed. */
  readonly failed: number;
  /** uwf died while it ran, and it left no result. */
  readonly abandoned: number;
  /** The newest one. */
  readonly last: RunFailure | null;
};

/** A run that gave no step. */
export type FailedRunEvent = EventOf<RunFailure["outcome"]>;

type About = "head" | "role" | "agent" | "code";

/** The cost of such a run. `timestamp`, epoch ms: when it had ended. */
export type FailedRunUsage = Pick<
  FailedRunEvent,
  About | "sessionId" | "usage" | "extractUsage" | "durationMs"
> & { readonly outcome: RunFailure["outcome"]; readonly timestamp: number };

/** Such a run, and its session, which belongs to the folder `cwd`. `message`: how it ended; further lines may follow. */
export type FailedSession = Pick<FailedRunEvent, About | "cwd" | "reason"> & {
  readonly sessionId: string;
  readonly message: string;
};

/**
 * uwf's entries are three levels deep; a deeper one by another program must not overflow the stack of a
 * printer.
 */
const MAX_DEPTH = 32;

/** The gate from a line of text to an entry of the log; `null` for a torn or foreign one. */
function asLogEntry(text: string): LogEntry | null {
  const line = parseRecord(text);
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
  const fd = openFile(path);
  if (fd === null) return;
  try {
    yield* linesIn(fd, path, offset);
  } finally {
    closeSync(fd);
  }
}

function* linesIn(fd: number, path: string, offset: number): Generator<RawLine> {
  const buffer = Buffer.allocUnsafe(CHUNK);
  let position = offset;
  let rest: Buffer | null = EMPTY;
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

/** `null` when there is no such file: a person has deleted the logs of old days. */
function openFile(path: string): number | null {
  try {
    // Non-blocking: a named pipe in the place of a log would be waited for for ever.
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (fstatSync(fd).isFile()) return fd;
    closeSync(fd);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return null;
    throw ioFault("read", path, error);
  }
  const reason = "it is not a regular file";
  throw new CasError({ code: "IO_FAILED", operation: "read", path, errno: "EINVAL", reason });
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
      const entry = isWanted ? asLogEntry(bytes.toString("utf8")) : null;
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
  const entry = asLogEntry(bytes.toString("utf8"));
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
    const lines = last === undefined ? [] : readTail(last.file, TAIL_BYTES).split("\n");
    const times = lines.flatMap((line) => asLogEntry(line)?.timestamp ?? []);
    return times.length === 0 ? null : Math.max(...times);
  });
}

/**
 * Whether the log has a line of this run. A process that finds a run that was left asks this: the run's uwf
 * may have died right after it wrote the line. Reads only what was written since the run began; an unreadable
 * log has no line.
 */
export function isRunLogged(storage: Storage, thread: ThreadId, { token, record }: FoundRun): boolean {
  const query = { since: record.startedAt, thread };
  const days = logDays(storage, query.since);
  const looked = attempt(() =>
    (days.ok ? days.value : []).some((day) => hasRun(readLogDay(day, query), token)),
  );
  return looked.ok && looked.value;
}

function hasRun(entries: ReturnType<typeof readLogDay>, token: string): boolean {
  for (const entry of entries) if (entry?.line.run === token && isRunEnd(entry)) return true;
  return false;
}

function isRunEnd({ line }: LogEntry): boolean {
  const kind = eventKindIn(line);
  return kind !== null && EVENTS[kind].as === "outcome";
}

/** A search for a thread's newest runs reads this many bytes at the end of a day. */
const NEWEST_BYTES = 256 * 1024;

/**
 * The lines of runs that started on this head, as far as they are near the end of the log, oldest first: a
 * push sends them to the other store with the step.
 */
export function readRunLines(
  storage: Storage,
  { thread, head }: { readonly thread: ThreadId; readonly head: string },
): Result<readonly LogEntry["line"][], Fault> {
  const days = logDays(storage, null);
  if (!days.ok) return days;
  return attempt(() => {
    const found: LogEntry["line"][] = [];
    for (const day of days.value.slice(-2)) {
      const cut = { offset: logOffset(day, NEWEST_BYTES), unfinished: false };
      for (const entry of readLogDay(day, { since: null, thread }, cut)) {
        if (entry?.line.head === head && isRunEnd(entry)) found.push(entry.line);
      }
    }
    return found;
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
