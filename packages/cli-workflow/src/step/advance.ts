import { err, type Fault, ok, type Result } from "@uncaged/workflow-protocol";
import { advanceHead, removeRun } from "@uncaged/workflow-store";
import { logRefused, logStep } from "./log-run.js";
import type { RunPlan, RunState, VerifiedRun } from "./types.js";

/** What says that the head will never move to this step. After any other failure the next step takes the run over. */
const REFUSALS: ReadonlySet<Fault["code"]> = new Set(["THREAD_ENDED", "HEAD_MOVED", "THREAD_NOT_FOUND"]);

/**
 * Stage 8: the head moves to the verified node, if it still is where this step found it and the thread is ours. First the
 * head, then the line in the log that tells what became of the run, then the run goes: whoever dies in between leaves a
 * run of an older head, and the next step tells of it.
 */
export async function advance(
  state: RunState,
  plan: RunPlan,
  verified: VerifiedRun,
): Promise<Result<void, Fault>> {
  const { thread, chain, claim, storage } = state;
  const moved = await advanceHead(storage, { thread, expected: chain.head, next: verified.step.hash, claim });
  if (!moved.ok && !REFUSALS.has(moved.error.code)) return moved;
  if (moved.ok) logStep(state, plan, verified);
  else logRefused(state, plan, verified, moved.error);
  // One that cannot be removed is swept by the next step.
  removeRun(verified.run);
  return moved.ok ? ok(undefined) : err(moved.error);
}
