import type { Breach } from "../invariants/index.js";
import type { Ran } from "../world/index.js";

/** When a process was started and when it had ended, in ms of one monotonic clock. */
export type Interval = { readonly began: number; readonly ended: number };

/** Where an answer said that a thread stood. */
export type Sighting = Interval & {
  readonly thread: string;
  readonly head: string;
  /** The command that said so. */
  readonly by: string;
};

/** One command line, what it may end with, and what follows from its answer. */
export type Act = {
  readonly name: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Exit codes that keep every promise. */
  readonly allowed: readonly number[];
  /** Words with which exit 7 keeps every promise too. */
  readonly excuse: string | null;
  /** Called with what it printed when it ended with 0. */
  readonly learn: (ran: Ran, when: Interval) => readonly Breach[];
};

/** What the answers so far have told, as an outsider would write it down. */
export type Book = {
  /** Every thread that a command said it had made. */
  readonly threads: Set<string>;
  /** Thread to the head that it was forked from; `null` for one that was started. */
  readonly origins: Map<string, string | null>;
  /** Threads that have ended, with the command that said so first and when it had said it. */
  readonly done: Map<string, { readonly by: string; readonly at: number }>;
  /** Threads that a list of the active ones did not have: they must have ended. */
  readonly doubts: Set<string>;
  /** Threads whose uwf was killed while it stepped them. */
  readonly orphans: string[];
  /** Heads that can be forked. */
  readonly heads: Set<string>;
  readonly sightings: Sighting[];
  /** Nodes that collections said they had removed. */
  collected: number;
};
