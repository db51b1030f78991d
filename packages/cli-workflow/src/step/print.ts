import type { CasRef, StepOutput } from "@uncaged/workflow-protocol";
import type { Road } from "./types.js";

/** Stage 10: what the step prints. */
export function print(road: Road, head: CasRef, done: boolean): StepOutput {
  return { workflow: road.chain.workflow.hash, thread: road.thread, head, done };
}
