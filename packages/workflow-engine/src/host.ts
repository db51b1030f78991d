/** What the engine may touch of the process it runs in; nothing here reads `process` itself. */
export type Host = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where a command was typed. */
  readonly cwd: string;
  /** The folder of uwf's own programs: `uwf-workflow` is found there, whatever is on PATH. */
  readonly binaries: string;
  /** Epoch ms. */
  readonly now: () => number;
  readonly pid: number;
  readonly stderr: TextSink;
  /** A random name that no other run has. */
  readonly newToken: () => string;
  /** Calls back on SIGINT, SIGTERM and SIGHUP, unless the caller ignores them, until the returned function is called. */
  readonly onSignal: (listener: (signal: NodeJS.Signals) => void) => () => void;
  /** Sends a signal; `false` when there is no such process. */
  readonly kill: (pid: number, signal: NodeJS.Signals) => boolean;
  /** Resolves after this many ms. */
  readonly sleep: (milliseconds: number) => Promise<void>;
};

/** What is said on stderr while a step works. */
export type Messages = {
  /** Something is wrong, but work continues. */
  readonly warn: (sentence: string) => void;
  /** Progress. */
  readonly tell: (sentence: string) => void;
  /** `false`: a program reads stderr, and an agent's own words may not be written there. */
  readonly live: boolean;
};

export type TextSink = { readonly write: (text: string) => void };
