/** One reply of the mock, after the gate: absence is `null` or 0. */
export type Entry = {
  /** `null` only where it exits with a code other than 0. */
  readonly reply: string | null;
  readonly delayMs: number;
  /** The process's exit code; a reply is recorded and printed all the same. */
  readonly exitCode: number;
  /** Printed before the hash. */
  readonly stdoutNoise: string | null;
  readonly stderr: string | null;
  /** The session that the reply belongs to; later visits of the role go on in it. */
  readonly sessionId: string | null;
  /** Says that the session of the last visit is gone. */
  readonly sessionLost: boolean;
  /** Replies when the header was not valid and is asked for again, in order; the last one repeats. */
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
  /** Texts by name, which an entry stores before it replies: `{{name}}` in a reply stands for the hash. */
  readonly texts: ReadonlyMap<string, string>;
  /** For each role its entries, at least one: the n-th visit plays the n-th, the last one repeats. */
  readonly roles: ReadonlyMap<string, readonly Entry[]>;
  /** The roles in the order in which they have to be asked; `null` allows any. */
  readonly expect: readonly string[] | null;
};
