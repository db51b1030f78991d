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
};

export type Scenario = {
  readonly file: string;
  /** For each role its entries, at least one: the n-th visit plays the n-th, the last one repeats. */
  readonly roles: ReadonlyMap<string, readonly Entry[]>;
  /** The roles in the order in which they have to be asked; `null` allows any. */
  readonly expect: readonly string[] | null;
};
