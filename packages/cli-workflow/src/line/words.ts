import type { Words } from "@uncaged/command-line";

/** What is said of a command, as it was written down when uwf was built: without functions. */
export type CommandWords = Words & {
  /** Beside those of every command, ascending. */
  readonly exitCodes: readonly number[];
};
