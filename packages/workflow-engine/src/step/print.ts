import {
  type CasRef,
  err,
  type Fault,
  fault,
  ok,
  type Result,
  type StepOutput,
} from "@uncaged/workflow-protocol";
import type { Ended } from "./finish.js";
import { endedMeanwhile } from "./stop.js";
import type { StepState } from "./types.js";

/** Stage 10: what the step prints. A signal during the step is reported as INTERRUPTED, unless the thread has ended. */
export function print(state: StepState, head: CasRef, reason: Ended): Result<StepOutput, Fault> {
  const position = { workflow: state.chain.workflow.hash, thread: state.thread, head };
  if (reason !== null) return ok({ ...position, done: true, reason });
  const signal = state.signals.received();
  if (signal === null) return ok({ ...position, done: false });
  // The signal may come from a kill: then the thread has ended, and "repeat the command" would be wrong.
  return err(endedMeanwhile(state) ?? fault("INTERRUPTED", { signal, recorded: head }));
}

/** The fault of a step that led to `$FAIL`; `null` for any other. */
export function threadFailure(output: StepOutput): Fault | null {
  const hasFailed = output.done && output.reason === "failed";
  return hasFailed ? fault("THREAD_FAILED", { thread: output.thread }) : null;
}
