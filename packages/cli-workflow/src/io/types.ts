/** What a command may touch of the process it runs in. Nothing below `bin/` reads `process`. */
export type Host = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Epoch ms. */
  readonly now: () => number;
  readonly pid: number;
  /** What runs us. */
  readonly runtime: { readonly name: "node" | "bun"; readonly version: string };
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  /** A random name that no other run has. */
  readonly newToken: () => string;
  /** Everything that stands on stdin, until its end. */
  /** All of it; `null` when it is more than so many bytes, of which no more is read. */
  readonly readStdin: (limit: number) => Uint8Array | null;
  readonly stdinIsTerminal: () => boolean;
  /** Calls back on SIGINT, SIGTERM and SIGHUP until the returned function is called. */
  readonly onSignal: (listener: (signal: NodeJS.Signals) => void) => () => void;
  /** Sends a signal; `false` when there is no such process. */
  readonly kill: (pid: number, signal: NodeJS.Signals) => boolean;
  /** Resolves after so many ms. */
  readonly sleep: (milliseconds: number) => Promise<void>;
};

/** What is said on stderr while a command works. */
export type Messages = {
  /** Something is not as it should be, and the work goes on. */
  readonly warn: (sentence: string) => void;
  /** What happens meanwhile. */
  readonly tell: (sentence: string) => void;
  /**
   * `false` when a program reads stderr (`--error-format json`): each line is one JSON object then, and nothing else may
   * be written there, an agent's words included.
   */
  readonly live: boolean;
};

export type TextSink = {
  /** A closed reader (`| head -1`) is not an error: what it no longer takes is dropped. */
  readonly write: (text: string) => void;
  /** Whether a write has found that the reader is gone. */
  readonly isClosed: () => boolean;
  readonly isTerminal: () => boolean;
};
