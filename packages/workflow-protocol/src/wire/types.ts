import type { ReportedFault } from "../faults/index.js";
import type { CasRef, ThreadId } from "../ids/index.js";
import type { Usage } from "../nodes/index.js";
import type { HistoryReason } from "../outputs/index.js";

/** `runs/<thread>/<token>/run.json`: written before the agent starts. */
export type RunRecord = {
  readonly token: string;
  readonly head: CasRef;
  readonly role: string;
  readonly command: readonly string[];
  /** Epoch ms. */
  readonly startedAt: number;
  /** Where it was started, so that another machine, container or boot can tell whether its agent may live. */
  readonly host: string | null;
  readonly machineId: string | null;
  readonly bootId: string | null;
  readonly pidNamespace: string | null;
  /** Which run of its step it is, by retries: from 1. */
  readonly attempt: number;
};

/** `runs/<thread>/ending`: the thread is being archived; whoever takes its lock completes it. */
export type EndingRecord = {
  readonly head: CasRef;
  readonly reason: HistoryReason;
  /** Epoch ms. */
  readonly completedAt: number;
};

/** One line of `history.jsonl`. */
export type HistoryLine = {
  readonly thread: ThreadId;
  readonly workflow: CasRef;
  readonly head: CasRef;
  /** Epoch ms. */
  readonly completedAt: number;
  readonly reason: HistoryReason;
};

/** One line of `logs/<yyyy-mm-dd>.jsonl`; further fields follow by tag. */
export type LogLine = {
  readonly tag: string;
  readonly content: string;
  /** Epoch ms. */
  readonly timestamp: number;
  readonly thread?: ThreadId;
};

/** `runs/<thread>/<token>/report.json`: what the kit tells about its run, for the log if it fails. */
export type RunReport = {
  readonly sessionId: string | null;
  /** Where the session lives. */
  readonly cwd: string | null;
  readonly model: string | null;
  readonly usage: Usage | null;
  /** What the model has used that was to read the output out of the reply; `null`: unknown, or there was none. */
  readonly extractUsage: Usage | null;
  /** The raw reply, kept as a content node. */
  readonly raw: CasRef | null;
  /** Why the run failed, for uwf to say it; `null`: not told (yet). */
  readonly fault: ReportedFault | null;
};
