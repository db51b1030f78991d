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
import { backoffMs } from "./agent-environment.js";
import { reasonToStop } from "./stop.js";
import type { NoStep, RunPlan, RunState, StepRequest } from "./types.js";

/** Where a step stands in its runs of one agent. */
export type Tries = {
  /** The number of the run to come, from 1 on. */
  readonly attempt: number;
  /** Failures that count against `retries`. */
  readonly failures: number;
  /** How long may still be waited for what is busy, in ms. */
  readonly patience: number;
  /** The folder to which the thread moves; `null`: it stays. */
  readonly cwd: string | null;
};

export function firstTry({ waitMs, cwd }: StepRequest): Tries {
  return { attempt: 1, failures: 0, patience: waitMs, cwd };
}

/** Failures of an agent that really ran: what it did may go well another time. */
const RETRYABLE: ReadonlySet<Fault["code"]> = new Set([
  "AGENT_FAILED",
  "AGENT_TIMEOUT",
  "AGENT_BAD_RESULT",
  "EXTRACT_FAILED",
]);

/**
 * After a run that gave no step: the next try, once its time has come, or why there is none. The thread's lock is held
 * all the time. A run that uwf did not live to see the end of counts as none.
 */
export async function retry(
  state: RunState,
  plan: RunPlan,
  tries: Tries,
  reason: NoStep,
): Promise<Result<Tries, Fault>> {
  if (reason.kind === "abandoned") return ok(tries);
  const failure = reason.fault;
  const { attempt, failures, patience } = tries;
  if (!RETRYABLE.has(failure.code)) return err(failure);
  const last = (final: Fault): Result<Tries, Fault> => err(afterAttempts(final, attempt));
  if (!isRetryable(failure)) return last(failure);
  const limit = rateLimitOf(failure);
  const pause = Math.max(limit ?? 0, backoffMs(state.host.env, attempt));
  // A limit that --wait outlasts is waited for like a busy thread: it uses up no retry.
  const isWaitedFor = limit !== null && pause < patience;
  if (!isWaitedFor && failures >= plan.agent.retries) {
    return last(limit === null ? failure : tooLong(failure, plan, limit));
  }
  if (!isWaitedFor && limit !== null && limit > LONGEST_LIMIT_MS) return last(tooLong(failure, plan, limit));
  const next = {
    ...tries,
    attempt: attempt + 1,
    failures: isWaitedFor ? failures : failures + 1,
    patience: isWaitedFor ? patience - Math.max(pause, 1) : patience,
  };
  const what = isWaitedFor ? "next try" : `retry ${next.failures} of ${plan.agent.retries}`;
  const stop = await backOff(state, failure, pause, what);
  return stop === null ? ok(next) : err(stop);
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
async function backOff(state: RunState, failure: Fault, waitMs: number, what: string): Promise<Fault | null> {
  const [sentence] = messageOf(failure).split("\n", 1);
  state.tell(`${sentence}; ${what} in ${waitMs / 1000} s`);
  for (let left = waitMs; ; left -= POLL_MS) {
    const stop = reasonToStop(state);
    if (stop !== null || left <= 0) return stop;
    await state.host.sleep(Math.min(left, POLL_MS));
  }
}
