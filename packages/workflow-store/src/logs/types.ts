import type { RunFailure, ThreadId } from "@uncaged/workflow-protocol";

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
