import type { RunFailure, ThreadId, Usage } from "@uncaged/workflow-protocol";

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

/** What a run that gave no step has cost, as its line tells it; what the line does not tell is `null`. */
export type FailedRunUsage = {
  readonly outcome: RunFailure["outcome"];
  /** The head that it was started on. */
  readonly head: string | null;
  readonly role: string | null;
  /** The program as it was started. */
  readonly agent: string | null;
  readonly code: string | null;
  readonly sessionId: string | null;
  readonly usage: Usage | null;
  readonly extractUsage: Usage | null;
  readonly durationMs: number | null;
  /** Epoch ms of the line: when the run had ended. */
  readonly timestamp: number;
};

/** A run that gave no step, and its session. */
export type FailedSession = {
  readonly sessionId: string;
  /** The folder that the session belongs to. */
  readonly cwd: string | null;
  /** The head that it was started on. */
  readonly head: string | null;
  readonly role: string | null;
  /** The program as it was started. */
  readonly agent: string | null;
  readonly code: string | null;
  readonly reason: string | null;
  /** How it ended, in a sentence; further lines may follow. */
  readonly message: string;
};
