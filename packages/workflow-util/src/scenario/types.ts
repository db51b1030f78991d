import type { END, FAIL } from "@uncaged/workflow-protocol";

/** One reply of the mock, after the gate; absent fields are `null` or 0. */
export type Entry = {
  /** `null` only if exitCode is not 0. */
  readonly reply: string | null;
  readonly delayMs: number;
  /** The process's exit code; a reply is still recorded and printed. */
  readonly exitCode: number;
  /** Printed before the hash. */
  readonly stdoutNoise: string | null;
  readonly stderr: string | null;
  /** The session of the reply; later visits of the role continue it. */
  readonly sessionId: string | null;
  /** Reports that the session of the last visit is lost. */
  readonly sessionLost: boolean;
  /** Replies to corrections of an invalid header, in order; the last one repeats. */
  readonly corrections: readonly string[];
  readonly usage: Tokens | null;
};

export type Tokens = {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
  readonly costUsd: number | null;
};

export type Scenario = {
  readonly file: string;
  /** Texts by name, stored before a reply: `{{name}}` in a reply stands for the hash. */
  readonly texts: ReadonlyMap<string, string>;
  /** One or more entries per role: the n-th visit plays the n-th, the last one repeats. */
  readonly roles: ReadonlyMap<string, readonly Entry[]>;
  /** The expected order of the roles; `null`: any. */
  readonly expect: readonly string[] | null;
  /** The expected end; `null`: the scenario does not say. For `uwf workflow test`: an agent does not see the end. */
  readonly end: typeof END | typeof FAIL | null;
  /** The task of the thread, for `uwf workflow test`: an agent is given one. `null`: any. */
  readonly prompt: string | null;
};
