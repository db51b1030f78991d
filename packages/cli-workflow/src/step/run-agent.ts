import {
  afterAttempts,
  err,
  type Fault,
  fault,
  isRetryable,
  messageOf,
  ofRun,
  ok,
  type Result,
} from "@uncaged/workflow-protocol";
import { keepFolder, readFolder } from "@uncaged/workflow-store";
import { refusalOf } from "../folder.js";
import { adoptPrevious } from "./adopt.js";
import { backoffMs } from "./agent-environment.js";
import { runOnce } from "./run-once.js";
import { reasonToStop } from "./stop.js";
import type { PlacedRoad, Road, RunPlan, RunResult, RunRoad, StepRequest } from "./types.js";

/** Where the thread's agents work, whoever calls the step: a thread that has no folder yet keeps the caller's. */
function workFolder({ storage, thread, host }: Road): Result<string, Fault> {
  const folder = readFolder(storage, thread);
  if (!folder.ok) return folder;
  if (folder.value === null) {
    const kept = keepFolder(storage, thread, host.cwd);
    return kept.ok ? ok(host.cwd) : kept;
  }
  const reason = refusalOf(folder.value);
  return reason === null ? ok(folder.value) : err(fault("FOLDER_UNUSABLE", { thread, reason }));
}

/** `--cwd`: from this step on, that of a run which is taken over included. */
function moveThread({ storage, thread }: Road, folder: string): Result<void, Fault> {
  const there = readFolder(storage, thread);
  return there.ok && there.value === folder ? ok(undefined) : keepFolder(storage, thread, folder);
}

/** Stage 6, with stage 7 as its gate: the result of the previous run if it left one, else that of a run of our own. */
export async function runAgent(
  road: RunRoad,
  plan: RunPlan,
  { cwd, waitMs }: Pick<StepRequest, "cwd" | "waitMs">,
): Promise<RunResult> {
  const moved = cwd === null ? ok(undefined) : moveThread(road, cwd);
  if (!moved.ok) return { kind: "failed", fault: moved.error };
  const adopted = await adoptPrevious(road, plan, waitMs);
  if (adopted !== null) return adopted;
  const folder = workFolder(road);
  if (!folder.ok) return { kind: "failed", fault: folder.error };
  return runWithRetries({ ...road, folder: folder.value }, plan, waitMs);
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
async function runWithRetries(road: PlacedRoad, plan: RunPlan, waitMs: number): Promise<RunResult> {
  let failures = 0;
  let patience = waitMs;
  for (let attempt = 1; ; attempt += 1) {
    const result = await runOnce(road, plan, attempt);
    if (result.kind === "step" || !RETRYABLE.has(result.fault.code)) return result;
    const failed = (failure: Fault): RunResult => ({
      kind: "failed",
      fault: afterAttempts(failure, attempt),
    });
    if (!isRetryable(result.fault)) return failed(result.fault);
    const limit = rateLimitOf(result.fault);
    const pause = Math.max(limit ?? 0, backoffMs(road.host.env, attempt));
    let what = "next try";
    // A limit that --wait outlasts is waited for like a busy thread: it uses up no retry.
    if (limit !== null && pause < patience) patience -= Math.max(pause, 1);
    else {
      const mayRetry = failures < plan.agent.retries;
      if (limit !== null && (!mayRetry || limit > LONGEST_LIMIT_MS))
        return failed(tooLong(result.fault, plan, limit));
      if (!mayRetry) return failed(result.fault);
      failures += 1;
      what = `retry ${failures} of ${plan.agent.retries}`;
    }
    const stop = await backOff(road, result.fault, pause, what);
    if (stop !== null) return { kind: "failed", fault: stop };
  }
}

/** What a retry waits for a rate limit; who wants to wait longer says so with --wait. */
const LONGEST_LIMIT_MS = 60_000;

/** When a rate limit ends, in ms from now; `null`: the failure is none, or nobody knows. */
function rateLimitOf(failure: Fault): number | null {
  if (failure.code !== "AGENT_FAILED" || failure.reason !== "rate-limit") return null;
  return failure.retryAfter === undefined ? null : failure.retryAfter * 1000;
}

function tooLong(failure: Fault, { role, agent }: RunPlan, limitMs: number): Fault {
  const limited = fault("RATE_LIMITED", { command: agent.program, role, retryAfter: limitMs / 1000 });
  return ofRun(limited, "stderr" in failure ? failure.stderr : "");
}

/** How often a waiting step looks for a reason to stop. */
const POLL_MS = 100;

/** Waits before the next run; gives the reason if there must not be one. */
async function backOff(road: RunRoad, failure: Fault, waitMs: number, what: string): Promise<Fault | null> {
  const [sentence] = messageOf(failure).split("\n", 1);
  road.tell(`${sentence}; ${what} in ${waitMs / 1000} s`);
  for (let left = waitMs; ; left -= POLL_MS) {
    const stop = reasonToStop(road);
    if (stop !== null || left <= 0) return stop;
    await road.host.sleep(Math.min(left, POLL_MS));
  }
}
