import { err, type Fault, ok, type Result } from "@uncaged/workflow-protocol";
import { advanceHead, removeRun } from "@uncaged/workflow-store";
import { logRefused, logStep } from "./log-run.js";
import type { Road, RunPlan, RunRoad, RunStep, VerifiedStep } from "./types.js";

/** Stage 8: the head moves to the verified node, if it still is where this step found it and the thread is ours. */
function advance(road: Road, step: VerifiedStep): Promise<Result<void, Fault>> {
  const { thread, chain, claim } = road;
  return advanceHead(road.storage, { thread, expected: chain.head, next: step.hash, claim });
}

/** What says that the head will never move to this step. After any other failure the next step takes the run over. */
const REFUSALS: ReadonlySet<Fault["code"]> = new Set(["THREAD_ENDED", "HEAD_MOVED", "THREAD_NOT_FOUND"]);

/**
 * Stage 8 with its line in the log, which tells what became of the run: after the head, then the run goes. Whoever dies
 * in between leaves a run of an older head, and the next step tells of it.
 */
export async function record(road: RunRoad, plan: RunPlan, result: RunStep): Promise<Result<void, Fault>> {
  const moved = await advance(road, result.step);
  if (!moved.ok && !REFUSALS.has(moved.error.code)) return moved;
  if (moved.ok) logStep(road, plan, result);
  else logRefused(road, plan, result, moved.error);
  // One that cannot be removed is swept by the next step.
  removeRun(result.run);
  return moved.ok ? ok(undefined) : err(moved.error);
}
