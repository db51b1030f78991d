/** The process around an agent. */
export type Port = {
  readonly cwd: string;
  /** One line to our stderr. */
  readonly stderr: (line: string) => void;
  readonly isRoot: boolean;
  /** Between the polite signal and SIGKILL for a program, in ms. */
  readonly graceMs: number;
  /** How long a program may stay after it has told its result, in ms, before it is asked to end. */
  readonly lingerMs: number;
  /** A clock for that: ms. */
  readonly now: () => number;
  /** What other programs write beside what they do: epoch ms. */
  readonly time: () => number;
};
