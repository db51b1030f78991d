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

/** Stage 10: what the step prints. A signal that came meanwhile has interrupted the thread, unless it is over. */
export function print(state: StepState, head: CasRef, reason: Ended): Result<StepOutput, Fault> {
  const position = { workflow: state.chain.workflow.hash, thread: state.thread, head };
  if (reason !== null) return ok({ ...position, done: true, reason });
  const signal = state.signals.received();
  if (signal === null) return ok({ ...position, done: false });
  // It may come from a kill, when this step counted already: nobody can go on then, as the other hint says.
  return err(endedMeanwhile(state) ?? fault("INTERRUPTED", { signal, recorded: head }));
}

/** What a thread that a step has led to `$FAIL` is told with; `null` for any other. */
export function threadFailure(output: StepOutput): Fault | null {
  const hasFailed = output.done && output.reason === "failed";
  return hasFailed ? fault("THREAD_FAILED", { thread: output.thread }) : null;
}
