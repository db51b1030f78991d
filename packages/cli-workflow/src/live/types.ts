import type { CasRef, Held, HeldThread, ThreadId, ThreadPsItem } from "@uncaged/workflow-protocol";
import type { EndedThread, LogEntry, ThreadState } from "@uncaged/workflow-store";

/** An event, reported once to each follower. */
export type LiveEvent =
  /** What is followed; `null`: everything that runs. */
  | { readonly kind: "following"; readonly state: ThreadState | null }
  | { readonly kind: "running"; readonly item: ThreadPsItem }
  /** The next step of the thread would start nothing. */
  | { readonly kind: "held"; readonly thread: ThreadId; readonly head: CasRef; readonly held: Held }
  /** The uwf of a run has died, or its agent too. */
  | ({ readonly kind: "abandoned" } & LostRun)
  /** A run has ended, or something was done to a thread. */
  | { readonly kind: "logged"; readonly entry: LogEntry }
  /** The thread that is followed is over. */
  | { readonly kind: "ended"; readonly state: EndedThread };

/** A run under way. */
export type LiveRun = {
  readonly thread: ThreadId;
  readonly role: string;
  readonly attempt: number;
  /** Epoch ms. */
  readonly since: number;
  /** Which process of it is gone: its uwf, or its agent too; `null`: neither. */
  readonly gone: "uwf" | "both" | null;
  /** The last line that its agent has written, cleaned; "" if there is none. */
  readonly lastLine: string;
};

/** A run whose uwf is gone. */
export type LostRun = {
  readonly thread: ThreadId;
  readonly role: string;
  readonly gone: "uwf" | "both";
};

/** The view between two events. */
export type LiveView = {
  readonly runs: readonly LiveRun[];
  /** Threads that a uwf holds without a run: it decides, or records. */
  readonly between: readonly ThreadId[];
  /** What the thread that is followed waits for. */
  readonly held: HeldThread | null;
};
