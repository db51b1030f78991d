import type { CasRef, Fault, RunRecord } from "@uncaged/workflow-protocol";

/** The files of one run, `runs/<thread>/<token>/`. */
export type RunDir = {
  readonly dir: string;
  readonly token: string;
  /** run.json: what was started and for which head. */
  readonly runFile: string;
  /** Written by the agent's own process before it becomes the agent. */
  readonly pidFile: string;
  readonly stdout: string;
  readonly stderr: string;
  /** Touched by the agent kit as a sign of life. */
  readonly heartbeat: string;
  /** What the agent kit reports about a failed run. */
  readonly report: string;
  /** What an agent that exits with 9 waits for. */
  readonly waiting: string;
  /** Notes that people left for the run; there is no such file without any. */
  readonly notes: string;
  /** Is there when a person has said that nothing of the run lives: it cannot be judged from here. */
  readonly released: string;
};

export type NewRun = {
  readonly head: CasRef;
  readonly role: string;
  readonly command: readonly string[];
  /** Random, of letters, digits, `-` and `_`; also the value of UWF_RUN. */
  readonly token: string;
  /** From 1; more are retries within one `thread step`. */
  readonly attempt: number;
};

export type FoundRun = RunDir & { readonly record: RunRecord };

/** A run of which only its folder and its token are known. */
export type DamagedRun = { readonly run: RunDir; readonly damage: Fault };

/** `runs`: oldest first. */
export type SurveyedRuns = { readonly runs: readonly FoundRun[]; readonly damaged: readonly DamagedRun[] };

/**
 * The agent's process; `startTime` (clock ticks since boot) distinguishes it from a later process with the same
 * pid.
 */
export type RunProcess = { readonly pid: number; readonly startTime: string | null };
