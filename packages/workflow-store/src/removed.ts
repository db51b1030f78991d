import {
  type Fault,
  type HistoryLine,
  isThreadId,
  ok,
  type RemovedLine,
  type Result,
} from "@uncaged/workflow-protocol";
import { isEpochMs } from "./json.js";
import { appendLines, type LineShape, readLines } from "./line-file.js";
import type { Storage } from "./storage.js";

// removed.jsonl   a line per end that was removed, or that an import has brought back (`at: null`)
//
// history.jsonl keeps one line per end. The line here names the end, not only the thread: a thread that was removed may come
// back by an import, go on, and end again.

const SHAPE: LineShape<RemovedLine> = {
  asLine: ({ thread, completedAt, at }) =>
    isThreadId(thread) && isEpochMs(completedAt) && (at === null || isEpochMs(at))
      ? { thread, completedAt, at }
      : null,
  fields: "{thread, completedAt, at}",
};

/** One end of a thread. */
type End = Pick<HistoryLine, "thread" | "completedAt">;

export type Removed = {
  /** When, epoch ms; `null`: it was not, or it came back. */
  readonly at: (end: End) => number | null;
};

export function readRemoved({ paths }: Storage): Result<Removed, Fault> {
  const lines = readLines(paths.removed, SHAPE);
  if (!lines.ok) return lines;
  const times = new Map<string, number | null>();
  for (const line of lines.value) times.set(keyOf(line), line.at);
  return ok({ at: (end) => times.get(keyOf(end)) ?? null });
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
  return appendLines(paths.removed, SHAPE, lines);
}
