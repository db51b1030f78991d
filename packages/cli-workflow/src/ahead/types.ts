import type { Waiting, WaitingSpec } from "@uncaged/workflow-util";

/** The line that a step is taken for, as typed. */
export type AheadLine = { readonly thread: string; readonly agent: string | null };

/** An agent's runtime that was started ahead of the step that may need it. */
export type Ahead = {
  /**
   * What waits, for a run that is exactly what it was started for; once, and `null` for any other: then nothing waits any
   * more. Head and token are each run's own: the token is the one that it was started with, the head comes with its word.
   */
  readonly take: (wanted: WaitingSpec) => Promise<Waiting | null>;
  /** Lets go what nobody took. */
  readonly drop: () => Promise<void>;
};
