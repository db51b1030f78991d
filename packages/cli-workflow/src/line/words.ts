import type { Words } from "@uncaged/command-line";

/** The words of a command, as they were written down when uwf was built: without functions. */
export type CommandWords = Words & {
  /** In addition to those of every command, ascending. */
  readonly exitCodes: readonly number[];
};
