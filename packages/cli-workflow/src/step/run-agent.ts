import { afterAttempts, type Fault, messageOf } from "@uncaged/workflow-protocol";
import { adoptPrevious } from "./adopt.js";
import { runOnce } from "./run-once.js";
import { backoffMs } from "./settings.js";
import { reasonToStop } from "./stop.js";
import type { RunPlan, RunResult, RunRoad } from "./types.js";

/** Stage 6, with stage 7 as its gate: the result of the previous run if it left one, else that of a run of our own. */
export async function runAgent(road: RunRoad, plan: RunPlan, waitMs: number): Promise<RunResult> {
  return (await adoptPrevious(road, plan, waitMs)) ?? (await runWithRetries(road, plan));
}

/** Failures of an agent that really ran: what it did may go well another time. */
const RETRYABLE: ReadonlySet<Fault["code"]> = new Set([
  "AGENT_FAILED",
  "AGENT_TIMEOUT",
  "AGENT_BAD_RESULT",
  "EXTRACT_FAILED",
]);

/**
 * One run, and up to `retries` more after failures. The thread's lock is held all the time. A run that uwf did not
 * live to see the end of is none of these: whoever takes the step up after a crash starts to count anew.
 */
async function runWithRetries(road: RunRoad, plan: RunPlan): Promise<RunResult> {
  for (let attempt = 1; ; attempt += 1) {
    const result = await runOnce(road, plan, attempt);
    if (result.kind === "step" || !RETRYABLE.has(result.fault.code)) return result;
    if (attempt > plan.agent.retries) return { kind: "failed", fault: afterAttempts(result.fault, attempt) };
    const stop = await backOff(road, plan, result.fault, attempt);
    if (stop !== null) return { kind: "failed", fault: stop };
  }
}

/** How often a waiting step looks for a reason to stop. */
const POLL_MS = 100;

/** Waits before the next run; gives the reason if there must not be one. */
async function backOff(road: RunRoad, plan: RunPlan, failure: Fault, attempt: number): Promise<Fault | null> {
  const waitMs = backoffMs(road.host.env, attempt);
  const [sentence] = messageOf(failure).split("\n", 1);
  road.tell(`${sentence}; retry ${attempt} of ${plan.agent.retries} in ${waitMs / 1000} s`);
  for (let left = waitMs; ; left -= POLL_MS) {
    const stop = reasonToStop(road);
    if (stop !== null || left <= 0) return stop;
    await road.host.sleep(Math.min(left, POLL_MS));
  }
}
