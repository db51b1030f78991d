import { readSync, statSync } from "node:fs";
import { isHash } from "@uncaged/json-cas";
import {
  type Fault,
  type HistoryLine,
  isHistoryReason,
  isThreadId,
  ok,
  type RemovedThread,
  type Result,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { hasThreadIdPart } from "@uncaged/workflow-util";
import { attempt } from "./attempt.js";
import { withRegular } from "./files.js";
import { isEpochMs } from "./json.js";
import { appendLines, LARGEST_LINES, type LineShape, readLines } from "./line-file.js";
import { type Removed, readRemoved } from "./removed.js";
import type { Storage } from "./storage.js";

// history.jsonl   a line per ended thread. Of two lines of one thread the first counts: ending is final
//
// Lines whose end was removed (removed.jsonl) are passed over by all of the following: for them the thread is as unknown
// as one that never was.

const SHAPE: LineShape<HistoryLine> = {
  // Lines of the original uwf have no reason: all its threads ended by themselves.
  asLine: ({ thread, workflow, head, completedAt, reason = "end", remote }) => {
    const isKnown = isThreadId(thread) && isHash(workflow) && isHash(head) && isEpochMs(completedAt);
    if (!isKnown || !isHistoryReason(reason)) return null;
    const line = { thread, workflow, head, completedAt, reason };
    return remote === true ? { ...line, remote } : line;
  },
  fields: "{thread, workflow, head, completedAt, reason}",
};

/** Every ended thread by id. */
type History = ReadonlyMap<ThreadId, HistoryLine>;

/** The same, and the threads whose end was removed. */
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

/** Every ended thread by id. */
export function readHistory(storage: Storage): Result<History, Fault> {
  const history = readEnds(storage, "");
  return history.ok ? ok(history.value.ended) : history;
}

/**
 * One thread's line; `null` while it has not ended. A file that does not mention the thread is not checked line by line:
 * a step asks this, beside a hundred thousand ended threads. A caller that finds the thread nowhere else asks
 * `indexHistory`.
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
  if (!size.ok || size.value > LARGEST_LINES) return readThreadHistory(storage, thread);
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
  const ends = readEnds(storage, part);
  if (!ends.ok) return ends;
  const { ended, gone } = ends.value;
  return ok({
    ids: () => ended.keys(),
    has: (thread) => ended.has(thread),
    line: (thread) => ended.get(thread) ?? null,
    removedIds: () => [...gone.keys()],
    removedLine: (thread) => gone.get(thread)?.line ?? null,
    removal: (thread) => {
      const removed = gone.get(thread);
      return removed === undefined ? null : { thread, head: removed.line.head, at: removed.at };
    },
  });
}

type Ends = {
  readonly ended: History;
  /** The newest line of a thread whose end was removed, and when that was. */
  readonly gone: ReadonlyMap<ThreadId, { readonly line: HistoryLine; readonly at: number }>;
};

function readEnds(storage: Storage, part: string): Result<Ends, Fault> {
  const lines = readLines(storage.paths.history, SHAPE, ({ thread }) => hasThreadIdPart(thread, part));
  if (!lines.ok) return lines;
  const meant = lines.value;
  // A thread that ends for the first time does not depend on what was removed.
  const removed: Result<Pick<Removed, "at">, Fault> = meant.length === 0
    ? ok({ at: () => null })
    : readRemoved(storage);
  if (!removed.ok) return removed;
  const ended = new Map<ThreadId, HistoryLine>();
  const gone = new Map<ThreadId, { readonly line: HistoryLine; readonly at: number }>();
  for (const line of meant) {
    const at = removed.value.at(line);
    if (at !== null) gone.set(line.thread, { line, at });
    else if (!ended.has(line.thread)) ended.set(line.thread, line);
  }
  for (const thread of ended.keys()) gone.delete(thread);
  return ok({ ended, gone });
}

/** Appends one ended thread durably. The caller holds the index lock and knows that the thread has no line yet. */
export function appendHistory(storage: Storage, line: HistoryLine): Result<void, Fault> {
  const { thread, workflow, head, completedAt, reason } = line;
  const mark = "remote" in line ? { remote: true as const } : {};
  return appendLines(storage.paths.history, SHAPE, [
    { thread, workflow, head, completedAt, reason, ...mark },
  ]);
}
