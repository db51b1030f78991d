import {
  afterAttempts,
  err,
  exitCodeOf,
  type Fault,
  fault,
  isRetryable,
  messageOf,
  ofRun,
  ok,
  type Result,
} from "@uncaged/workflow-protocol";
import { backoffMs } from "./agent-program.js";
import { reasonToStop } from "./stop.js";
import type { NoStep, RunPlan, RunState, StepRequest } from "./types.js";

/** The runs of one step so far. */
export type Tries = {
  /** The number of the next run, from 1. */
  readonly attempt: number;
  /** Failures that count against `retries`. */
  readonly failures: number;
  /** What is left of --wait, in ms. */
  readonly patience: number;
  /** The folder to which the thread moves; `null`: it stays. */
  readonly cwd: string | null;
};

export function firstTry({ waitMs, cwd }: StepRequest): Tries {
  return { attempt: 1, failures: 0, patience: waitMs, cwd };
}

/** The exit code of failures of an agent that did run: another run may succeed. */
const OF_RUN = 6;

/**
 * After a run that gave no step: waits, then gives the next try, or the reason why there is none. Holds the thread's
 * lock meanwhile. A run whose uwf died does not count.
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
  if (exitCodeOf(failure) !== OF_RUN) return err(failure);
  const last = (final: Fault): Result<Tries, Fault> => err(afterAttempts(final, attempt));
  if (!isRetryable(failure)) return last(failure);
  const limit = rateLimitOf(failure);
  const pause = Math.max(limit ?? 0, backoffMs(state.host.env, attempt));
  // A rate limit that ends within --wait is like a busy thread: it costs no retry.
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

/** The longest rate limit that a retry waits for; --wait allows more. */
const LONGEST_LIMIT_MS = 60_000;

/** When a rate limit ends, in ms from now; `null`: not a rate limit, or no time given. */
function rateLimitOf(failure: Fault): number | null {
  if (failure.code !== "AGENT_FAILED" || failure.reason !== "rate-limit") return null;
  return failure.retryAfter === undefined ? null : failure.retryAfter * 1000;
}

function tooLong(failure: Fault, { role, agent }: RunPlan, limitMs: number): Fault {
  const limited = fault("RATE_LIMITED", { command: agent.program, role, retryAfter: limitMs / 1000 });
  return ofRun(limited, "stderr" in failure ? failure.stderr : "");
}

/** How often a waiting step checks for a reason to stop. */
const POLL_MS = 100;

/** Waits before the next run; the reason if there must be none. */
async function backOff(state: RunState, failure: Fault, waitMs: number, what: string): Promise<Fault | null> {
  const [sentence] = messageOf(failure).split("\n", 1);
  state.tell(`${sentence}; ${what} in ${waitMs / 1000} s`);
  for (let left = waitMs; ; left -= POLL_MS) {
    const stop = reasonToStop(state);
    if (stop !== null || left <= 0) return stop;
    await state.host.sleep(Math.min(left, POLL_MS));
  }
}
