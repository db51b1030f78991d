import type { CasRef, StepOutput } from "@uncaged/workflow-protocol";
import { type RunDir, removeRun } from "@uncaged/workflow-store";
import type { Road } from "./types.js";

/** Stage 10: what the step prints. The run has served and goes. */
export function print(road: Road, head: CasRef, done: boolean, run: RunDir | null): StepOutput {
  if (run !== null) removeRun(run);
  return { workflow: road.chain.workflow.hash, thread: road.thread, head, done };
}
