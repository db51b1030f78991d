import type { Words } from "../words/index.js";

/** The process around the agent; the binary hands in the real one. */
export type Port = {
  readonly cwd: string;
  /** The folder for temporary files. */
  readonly temporary: string;
  /** One line to our stderr. */
  readonly stderr: (line: string) => void;
};

export type Order = {
  readonly words: Words;
  /** The command's whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly stdin: string;
  readonly signal: AbortSignal;
  /** Called with the plain lines that the command writes, as they come: those that come at once as one text. */
  readonly onLine: (line: string) => void;
};

/** A command that ran to its end, however that was. */
export type Ran = {
  /** As a shell tells it: 128 and the number where a signal ended it, 124 for our own time limit. */
  readonly exitCode: number;
  /** `exited with 1`, `was ended by SIGSEGV`. */
  readonly outcome: string;
  readonly durationMs: number;
  /** What it wrote to stdout, plain: the end of it, all that a header may be looked for in. */
  readonly stdout: string;
  /** The end of stdout and stderr in the order in which the lines came, at most that many bytes. */
  readonly tail: (limit: number) => string;
};
