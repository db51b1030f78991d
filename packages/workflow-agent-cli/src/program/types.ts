import type { Fault } from "@uncaged/workflow-agent-kit";
import type { Env } from "../adapters/index.js";

/** How an agent reaches its program; the binary hands in the real surroundings. */
export type Surroundings = {
  readonly env: Env;
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly heartbeat: () => void;
  /** Lines of the program's stderr go on to ours as they come. */
  readonly stderr: (line: string) => void;
  /** Between the polite signal and SIGKILL. */
  readonly graceMs: number;
};

/** Less than what the kit leaves us after a signal: whoever ignores SIGTERM is gone before we are. */
export const GRACE_MS = 4000;

/** One call of a program. */
export type ProgramCall = {
  /** Absolute, see `findProgram`. */
  readonly command: string;
  readonly args: readonly string[];
  /** `null`: /dev/null. */
  readonly stdin: string | null;
  /** Each line of stdout. */
  readonly onLine: ((line: string) => void) | null;
  /** Whether stderr is shown as it comes. */
  readonly shown: boolean;
  /** Wall clock; `null`: as long as it takes, uwf has its own limits. */
  readonly timeoutMs: number | null;
  /** A line of stdout, and all that is kept of it, is no longer than this. */
  readonly stdoutBytes: number;
  /** Asked about every 100 ms: a program that has told its result and does not exit is ended after the grace period. */
  readonly resultSeen: (() => boolean) | null;
};

/** One call that came to its end. */
export type ProgramRun = {
  /** `null`: it ended otherwise than by exiting. */
  readonly code: number | null;
  /** It was ended after its result had been seen: the result counts. */
  readonly lingered: boolean;
  /** `exited with 1`, `was ended by SIGKILL`. */
  readonly outcome: string;
  readonly stdout: string;
  readonly stderr: string;
};

export type Called =
  | { readonly ok: true; readonly run: ProgramRun }
  | { readonly ok: false; readonly fault: Fault };
