import { readSync, statSync } from "node:fs";
import { isHash } from "@uncaged/json-cas";
import { appendLine } from "@uncaged/json-cas-fs";
import {
  err,
  type Fault,
  fault,
  type HistoryLine,
  isHistoryReason,
  ok,
  type RemovedThread,
  type Result,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { hasThreadIdPart } from "@uncaged/workflow-util";
import { attempt } from "./attempt.js";
import { readBytes, utf8Of, withRegular } from "./files.js";
import { isThreadId, THREAD_ID } from "./ids.js";
import { isEpochMs, parseRecord } from "./json.js";
import { withWholeLines } from "./line-file.js";
import { type Removed, readRemoved } from "./removed.js";
import type { Storage } from "./storage.js";

/** One line of history.jsonl; the error says what is wrong with it. Lines of the first uwf have no reason: all its threads ended by themselves. */
function asHistoryLine(text: string): Result<HistoryLine, string> {
  const record = parseRecord(text);
  if (record === null) return err("it is not a JSON object");
  const { thread, workflow, head, completedAt, reason = "end" } = record;
  if (!isThreadId(thread)) return err("thread is not a thread id");
  if (!isHash(workflow)) return err("workflow is not a hash");
  if (!isHash(head)) return err("head is not a hash");
  if (!isEpochMs(completedAt)) return err("completedAt is not a time in ms");
  if (!isHistoryReason(reason)) return err('reason is not "end", "failed" or "killed"');
  const line = { thread, workflow, head, completedAt, reason };
  return ok(record.remote === true ? { ...line, remote: true } : line);
}

// Most lines are as we write them: a regular expression sees that ten times faster than a JSON parser. The thread's id
// stands at a fixed place of such a line.
const HASH = "[0-9A-F][0-9A-HJKMNP-TV-Z]{12}";
const OURS = `\\{"thread":"${THREAD_ID}","workflow":"${HASH}","head":"${HASH}","completedAt":[1-9][0-9]{0,14},"reason":"(?:end|failed|killed)"(?:,"remote":true)?\\}\n`;

/** Where the id begins in a line of ours. */
const THREAD_AT: number = '{"thread":"'.length;

const THREAD_LENGTH = 26;

/** Matches a line as we write it, at `lastIndex`. */
function ourLine(): RegExp {
  return new RegExp(OURS, "y");
}

/** The id in a line that `ourLine` has matched at `start`. */
function ourThread(text: string, start: number): ThreadId {
  return text.slice(start + THREAD_AT, start + THREAD_AT + THREAD_LENGTH) as ThreadId;
}

/** A line that `ourLine` has matched. */
function asOurLine(text: string): HistoryLine {
  return JSON.parse(text) as HistoryLine;
}

/** Every ended thread by id. Of two lines of one thread the first counts: ending is final. */
type History = ReadonlyMap<ThreadId, HistoryLine>;

/** The same without the lines: a hundred thousand ids, each with the place of its line. */
export type HistoryIndex = {
  /** In the order in which they ended. */
  readonly ids: () => IterableIterator<ThreadId>;
  readonly has: (thread: ThreadId) => boolean;
  /** `null` while the thread has not ended. */
  readonly line: (thread: ThreadId) => HistoryLine | null;
  /** The threads whose end was removed, and which did not end again. */
  readonly removedIds: () => readonly ThreadId[];
  /** The newest line of such a thread; `null` for any other, as for `removal`. */
  readonly removedLine: (thread: ThreadId) => HistoryLine | null;
  readonly removal: (thread: ThreadId) => RemovedThread | null;
};

// Lines whose end was removed (removed.jsonl) are passed over by all of the following: for them the thread is as unknown
// as one that never was.
//
// A missing file is an empty history. An unterminated last line is skipped as a torn write, unless it is a whole record
// that only lacks its newline, as some editors leave it; any other bad line is STORE_DAMAGED. Of two lines of one thread
// the first counts: ending is final.

/** Bytes of a history that is held as a whole: some 500,000 ended threads. A step does not hold it. */
const HISTORY_LIMIT = 64 * 1024 * 1024;

/** Every ended thread by id. */
export function readHistory(storage: Storage): Result<History, Fault> {
  const index = indexHistory(storage, "");
  if (!index.ok) return index;
  const history = new Map<ThreadId, HistoryLine>();
  for (const thread of index.value.ids()) {
    const line = index.value.line(thread);
    if (line !== null) history.set(thread, line);
  }
  return ok(history);
}

/**
 * One thread's line; `null` while it has not ended. A file that does not mention the thread is not checked line by line:
 * a caller that finds the thread nowhere else asks `indexHistory`.
 */
export function readThreadHistory(storage: Storage, thread: ThreadId): Result<HistoryLine | null, Fault> {
  const mentioned = withRegular(storage.paths.history, (fd) => mentions(fd, Buffer.from(thread)));
  if (!mentioned.ok) return mentioned;
  if (mentioned.value !== true) return ok(null);
  const index = indexHistory(storage, thread);
  return index.ok ? ok(index.value.line(thread)) : index;
}

/** The same before the history is changed: every line is checked, in a file that can be held as a whole. */
export function readCheckedHistory(storage: Storage, thread: ThreadId): Result<HistoryLine | null, Fault> {
  const size = attempt(() => statSync(storage.paths.history, { throwIfNoEntry: false })?.size ?? 0);
  if (!size.ok || size.value > HISTORY_LIMIT) return readThreadHistory(storage, thread);
  const index = indexHistory(storage, thread);
  return index.ok ? ok(index.value.line(thread)) : index;
}

/** Read at once: a million ended threads are 130 MB. */
const PIECE = 256 * 1024;

function mentions(fd: number, id: Buffer): boolean {
  const piece = Buffer.allocUnsafeSlow(PIECE);
  let kept = 0;
  for (;;) {
    const read = readSync(fd, piece, kept, PIECE - kept, null);
    if (read === 0) return false;
    const bytes = piece.subarray(0, kept + read);
    if (bytes.includes(id)) return true;
    // An id may begin in this piece and end in the next.
    kept = Math.min(id.length - 1, bytes.length);
    piece.copyWithin(0, bytes.length - kept, bytes.length);
  }
}

/** The ended threads whose id begins or ends so; `""`: all of them. Every line is checked, those of other threads too. */
export function indexHistory(storage: Storage, part: string): Result<HistoryIndex, Fault> {
  const file = storage.paths.history;
  const bytes = readBytes(file, HISTORY_LIMIT);
  if (!bytes.ok) return bytes;
  const text = bytes.value === null ? "" : terminated(bytes.value.toString("latin1"));
  const places = placesIn(text, part);
  if (!places.ok) return err(fault("STORE_DAMAGED", { file, reason: places.error }));
  const { first, later } = places.value;
  // A thread that ends for the first time does not depend on what was removed.
  if (first.size === 0) return ok(indexOf(text, first, { places: new Map(), at: () => null }));
  const removed = readRemoved(storage);
  return removed.ok ? ok(withoutRemoved(text, { first, later }, removed.value)) : removed;
}

/** Where a line begins; the line itself when it is not as we write it. */
type LinePosition = number | HistoryLine;

type LinePositions = {
  /** The first line of each thread. */
  readonly first: Map<ThreadId, LinePosition>;
  /** The others, of threads that were removed, came back and ended again. */
  readonly later: readonly (readonly [ThreadId, LinePosition])[];
};

function placesIn(text: string, part: string): Result<LinePositions, string> {
  const ours = ourLine();
  const first = new Map<ThreadId, LinePosition>();
  const later: (readonly [ThreadId, LinePosition])[] = [];
  const add = (thread: ThreadId, place: LinePosition): void => {
    if (!hasThreadIdPart(thread, part)) return;
    if (first.has(thread)) later.push([thread, place]);
    else first.set(thread, place);
  };
  let [number, start] = [0, 0];
  for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
    number += 1;
    ours.lastIndex = start;
    if (!ours.test(text)) {
      const line = asHistoryLine(utf8Of(text.slice(start, end)) ?? "");
      if (!line.ok) return err(`line ${number}: ${line.error}`);
      add(line.value.thread, line.value);
    } else add(ourThread(text, start), start);
    start = end + 1;
  }
  return ok({ first, later });
}

function withoutRemoved(text: string, { first, later }: LinePositions, removed: Removed): HistoryIndex {
  const gone = new Map<ThreadId, LinePosition>();
  for (const thread of removed.threads) {
    const place = first.get(thread);
    if (place === undefined) continue;
    const places = [place, ...later.flatMap(([id, other]) => (id === thread ? [other] : []))];
    const standing = places.find((each) => removed.at(lineAt(text, each)) === null);
    first.delete(thread);
    if (standing !== undefined) first.set(thread, standing);
    else gone.set(thread, places.at(-1) ?? place);
  }
  return indexOf(text, first, { places: gone, at: removed.at });
}

function lineAt(text: string, place: LinePosition): HistoryLine {
  return typeof place === "number" ? asOurLine(text.slice(place, text.indexOf("\n", place))) : place;
}

function indexOf(
  text: string,
  ended: ReadonlyMap<ThreadId, LinePosition>,
  removed: { readonly places: ReadonlyMap<ThreadId, LinePosition>; readonly at: Removed["at"] },
): HistoryIndex {
  const lineIn = (places: ReadonlyMap<ThreadId, LinePosition>) => (thread: ThreadId) => {
    const place = places.get(thread);
    return place === undefined ? null : lineAt(text, place);
  };
  const removedLine = lineIn(removed.places);
  return {
    ids: () => ended.keys(),
    has: (thread) => ended.has(thread),
    line: lineIn(ended),
    removedIds: () => [...removed.places.keys()],
    removedLine,
    removal: (thread) => {
      const line = removedLine(thread);
      return line === null ? null : { thread, head: line.head, at: removed.at(line) ?? line.completedAt };
    },
  };
}

function terminated(text: string): string {
  const last = text.slice(text.lastIndexOf("\n") + 1);
  return last !== "" && isWholeLine(last) ? `${text}\n` : text;
}

/** Whether the text after the last newline is a record all the same. */
function isWholeLine(latin1: string): boolean {
  return asHistoryLine(utf8Of(latin1) ?? "").ok;
}

/** Appends one ended thread durably, cutting off a torn last line first. The caller holds the index lock and knows that the thread has no line yet. */
export function appendHistory(storage: Storage, line: HistoryLine): Result<void, Fault> {
  const { thread, workflow, head, completedAt, reason } = line;
  const mark = "remote" in line ? { remote: true } : {};
  const text = JSON.stringify({ thread, workflow, head, completedAt, reason, ...mark });
  const closed = withWholeLines(storage.paths.history, (last) => asHistoryLine(last).ok);
  return closed.ok ? attempt(() => appendLine(storage.paths.history, text)) : closed;
}
