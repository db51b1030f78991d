import type { JsonValue } from "@uncaged/json-cas";
import type { ThreadId } from "@uncaged/workflow-protocol";

/**
 * Writes one line to the log. `tag` is 8 Crockford characters, fixed at each call site and unique in the tree
 * (checked by scripts/lint-log-tags); `fields` are added after the standard ones, which they cannot replace.
 */
export type Log = (tag: string, content: string, fields?: Readonly<Record<string, JsonValue>>) => void;

export type LoggerOptions = {
  /** The folder of the day files; created when the first line is written. */
  readonly dir: string;
  /** Epoch ms. */
  readonly now: () => number;
  /** The thread that every line is about. */
  readonly thread: ThreadId | null;
};
