import type { StepDeps } from "@uncaged/workflow-engine";
import type { ReadValue } from "@uncaged/workflow-moderator";
import type { CasRef, Fault, Result, StepOutput, StoppedWhy, ThreadId } from "@uncaged/workflow-protocol";
import type { Host } from "../io.js";

/** What a step of this process gets if a person or a program watches its stdout and stderr. */
export type WatchedDeps = StepDeps & { readonly host: Host };

/** A recorded step, as watchers get it. What cannot be read is `null`: the step counts all the same. */
export type StepFacts = {
  readonly thread: ThreadId;
  /** Its place in the thread, from 1. */
  readonly number: number | null;
  readonly role: string;
  /** Columns of the workflow's longest role: the lines of its steps stand under one another. */
  readonly roleWidth: number;
  /** As the step names it. */
  readonly agent: string;
  readonly head: CasRef;
  /** The condition of the transition that was taken after it; `null`: it has none, or no decision leads on. */
  readonly condition: string | null;
  /** What decided. */
  readonly values: readonly ReadValue[];
  /** The role that comes next, `$END` or `$FAIL`; `null`: no decision leads on. */
  readonly next: string | null;
  /** Of its run; `null` also for what a person has answered. */
  readonly durationMs: number | null;
  readonly tokens: number | null;
  readonly costUsd: number | null;
};

/** Reads them when they are asked for; `null`: the step cannot be read. */
export type RecordedFacts = () => StepFacts | null;

/** How a command ends: with the last state of its thread and why it stopped there, or with a failure. */
type LastWord = { readonly output: StepOutput; readonly why: StoppedWhy } | { readonly fault: Fault };

/** Shows the steps of one command as they happen. */
export type Progress = {
  /** Before the first step; `thread` as typed. */
  readonly open: (thread: string) => Promise<void>;
  /** For the next step. */
  readonly begin: () => StepDeps;
  /** That step is over. `isResult`: its line is printed as the command's result, and not as progress. */
  readonly end: (output: Result<StepOutput, Fault>, isResult: boolean) => RecordedFacts | null;
  readonly close: (last: LastWord) => Promise<void>;
};

/** What a command shows of its steps; `usual` depends on who reads stderr. */
export type Shown = "usual" | "quiet" | "events";

/** For those that say nothing at the beginning and at the end. */
export const UNSAID: Pick<Progress, "open" | "close"> = { open: async () => {}, close: async () => {} };
