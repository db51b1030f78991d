import { type CasRef, type Fault, fault, type StepOutput } from "@uncaged/workflow-protocol";
import type { Ended } from "./finish.js";
import type { Road } from "./types.js";

/** Stage 10: what the step prints. */
export function print(road: Road, head: CasRef, reason: Ended): StepOutput {
  const position = { workflow: road.chain.workflow.hash, thread: road.thread, head };
  return reason === null ? { ...position, done: false } : { ...position, done: true, reason };
}

/** What a thread that a step has led to `$FAIL` is told with; `null` for any other. */
export function threadFailure(output: StepOutput): Fault | null {
  const hasFailed = output.done && output.reason === "failed";
  return hasFailed ? fault("THREAD_FAILED", { thread: output.thread }) : null;
}
