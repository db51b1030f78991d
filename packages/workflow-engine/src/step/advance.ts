import { err, type Fault, messageOf, ok, type Result } from "@uncaged/workflow-protocol";
import { advanceHead, dropNotes, removeRun } from "@uncaged/workflow-store";
import { logAnswer, logRefused, logStep } from "./run-fault.js";
import { spendStep } from "./spending.js";
import type { RunPlan, RunState, VerifiedAnswer, VerifiedRun } from "./types.js";

/** With these faults the head never moves to this step. After any other one the next step takes the run over. */
const REFUSALS: ReadonlySet<Fault["code"]> = new Set(["THREAD_ENDED", "HEAD_MOVED", "THREAD_NOT_FOUND"]);

/**
 * Stage 8: moves the head to the verified node, if it has not moved and we still hold the thread. The order is head, log
 * line, run removed: if we die in between, the next step finds a run of an older head and logs it.
 */
export async function advance(
  state: RunState,
  plan: RunPlan,
  verified: VerifiedRun | VerifiedAnswer,
): Promise<Result<void, Fault>> {
  const { thread, chain, claim, storage } = state;
  const spent = await spendStep(state, plan, verified);
  if (!spent.ok) return spent;
  const moved = await advanceHead(storage, { thread, expected: chain.head, next: verified.step.hash, claim });
  if (!moved.ok && !REFUSALS.has(moved.error.code)) return moved;
  if (verified.run === null) {
    if (moved.ok) logAnswer(state, verified);
    return moved;
  }
  if (moved.ok) logStep(state, plan, verified);
  else logRefused(state, plan, verified, moved.error);
  if (moved.ok) {
    const delivered = await dropNotes(storage, thread, verified.run);
    if (!delivered.ok)
      state.warn(`the next run gets the notes of this one again: ${messageOf(delivered.error)}`);
  }
  // If that fails, the next step removes it.
  removeRun(verified.run);
  return moved.ok ? ok(undefined) : err(moved.error);
}
