import { statSync } from "node:fs";
import { isHash } from "@uncaged/json-cas";
import {
  type Fault,
  type HistoryLine,
  isHistoryReason,
  isThreadId,
  ok,
  type RemovedLine,
  type Result,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { hasThreadIdPart } from "@uncaged/workflow-util";
import { attempt } from "./attempt.js";
import { appendLines, isMentioned, LARGEST_LINES, readLines } from "./line-file.js";
import { isEpochMs, orNull, type RecordShape, shapeOf } from "./record.js";
import type { Storage } from "./storage.js";

// history.jsonl   a line per ended thread. Of two lines of one thread the first counts: ending is final
// removed.jsonl   a line per end that was removed, or that an import has brought back (`at: null`)
//
// The second names the end, not only the thread: a thread that was removed may come back by an import, go on, and end again.
// Lines whose end was removed are passed over by all of the following: for them the thread is as unknown as one that never
// was.

const ENDS: RecordShape<HistoryLine> = {
  // Lines of the original uwf have no reason: all its threads ended by themselves.
  read: ({ thread, workflow, head, completedAt, reason = "end", remote }) => {
    const isKnown = isThreadId(thread) && isHash(workflow) && isHash(head) && isEpochMs(completedAt);
    if (!isKnown || !isHistoryReason(reason)) return null;
    const line = { thread, workflow, head, completedAt, reason };
    return remote === true ? { ...line, remote } : line;
  },
  otherwise: "it is not {thread, workflow, head, completedAt, reason}",
};

const REMOVED = shapeOf<RemovedLine>({
  thread: isThreadId,
  completedAt: isEpochMs,
  at: orNull(isEpochMs),
});

/** A history without the ends that were removed. */
export type History = {
  /** In the order in which they ended. */
  readonly ended: ReadonlyMap<ThreadId, HistoryLine>;
  /** The threads whose end was removed, and which did not end again: the newest line, and when it was removed, epoch ms. */
  readonly removed: ReadonlyMap<ThreadId, { readonly line: HistoryLine; readonly at: number }>;
};

/**
 * One thread's line; `null` while it has not ended. A file that does not mention the thread is not checked line by line:
 * a step asks this, beside a hundred thousand ended threads. A caller that finds the thread nowhere else asks
 * `readHistory`.
 */
export function readThreadHistory(storage: Storage, thread: ThreadId): Result<HistoryLine | null, Fault> {
  const mentioned = isMentioned(storage.paths.history, thread);
  if (!mentioned.ok) return mentioned;
  return mentioned.value ? lineOf(storage, thread) : ok(null);
}

/** The same before the history is changed: every line is checked, in a file that can be held as a whole. */
export function readCheckedHistory(storage: Storage, thread: ThreadId): Result<HistoryLine | null, Fault> {
  const size = attempt(() => statSync(storage.paths.history, { throwIfNoEntry: false })?.size ?? 0);
  const isHeld = size.ok && size.value <= LARGEST_LINES;
  return isHeld ? lineOf(storage, thread) : readThreadHistory(storage, thread);
}

function lineOf(storage: Storage, thread: ThreadId): Result<HistoryLine | null, Fault> {
  const history = readHistory(storage, thread);
  return history.ok ? ok(history.value.ended.get(thread) ?? null) : history;
}

/** The threads whose id begins or ends so; `""`: all of them. Every line is checked, those of other threads too. */
export function readHistory(storage: Storage, part = ""): Result<History, Fault> {
  const lines = readLines(storage.paths.history, ENDS, ({ thread }) => hasThreadIdPart(thread, part));
  if (!lines.ok) return lines;
  // A thread that ends for the first time does not depend on what was removed.
  const removals = lines.value.length === 0 ? ok(() => null) : readRemovals(storage);
  if (!removals.ok) return removals;
  const ended = new Map<ThreadId, HistoryLine>();
  const removed = new Map<ThreadId, { readonly line: HistoryLine; readonly at: number }>();
  for (const line of lines.value) {
    const at = removals.value(line);
    if (at !== null) removed.set(line.thread, { line, at });
    else if (!ended.has(line.thread)) ended.set(line.thread, line);
  }
  for (const thread of ended.keys()) removed.delete(thread);
  return ok({ ended, removed });
}

/** Appends one ended thread durably. The caller holds the index lock and knows that the thread has no line yet. */
export function appendHistory(storage: Storage, line: HistoryLine): Result<void, Fault> {
  const { thread, workflow, head, completedAt, reason } = line;
  const mark = "remote" in line ? { remote: true as const } : {};
  const written = { thread, workflow, head, completedAt, reason, ...mark };
  return appendLines(storage.paths.history, ENDS, [written]);
}

/** One end of a thread. */
type End = Pick<HistoryLine, "thread" | "completedAt">;

/** When an end was removed, epoch ms; `null`: it was not, or it came back. */
export function readRemovals({ paths }: Storage): Result<(end: End) => number | null, Fault> {
  const lines = readLines(paths.removed, REMOVED);
  if (!lines.ok) return lines;
  const times = new Map(lines.value.map((line) => [keyOf(line), line.at]));
  return ok((end) => times.get(keyOf(end)) ?? null);
}

function keyOf({ thread, completedAt }: End): string {
  return `${thread}${completedAt}`;
}

/** Records durably that ends were removed, in one write; with `null` that they came back. The caller holds the index lock. */
export function appendRemoved(
  { paths }: Storage,
  ends: readonly End[],
  at: number | null,
): Result<void, Fault> {
  const lines = ends.map(({ thread, completedAt }) => ({ thread, completedAt, at }));
  return appendLines(paths.removed, REMOVED, lines);
}
