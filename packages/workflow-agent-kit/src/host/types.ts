export type Env = Readonly<Record<string, string | undefined>>;

/** The process around an agent; tests bring their own. */
export type Host = {
  readonly argv: readonly string[];
  readonly env: Env;
  /** Makes a variable visible to the author's code and its children. */
  readonly setEnv: (name: string, value: string) => void;
  /** From now on everything that goes to stderr passes through `clean`. */
  readonly conceal: (clean: (text: string) => string) => void;
  readonly cwd: string;
  readonly home: string | null;
  /** Epoch ms. */
  readonly now: () => number;
  /** Written at once; on a file it is durable when this returns. */
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Calls back with the name of the first signal that asks the process to end. */
  readonly onInterrupt: (listener: (signal: string) => void) => void;
  /** How long an interrupted `run` may take to come to an end, in ms. */
  readonly graceMs: number;
};
