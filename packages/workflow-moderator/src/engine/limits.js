// The folder engine/ is plain JavaScript: it also runs in the evaluator process, which loads it unchanged, from
// the sources (Node 20 reads no TypeScript), from dist/ or from a bundle's chunk.

/** @import { Budget, Meter } from "./types.js" */
import { createBudget } from "./budget.js";

/**
 * What bounds an expression is counted, so that every runtime and machine ends it at the same place: levels of
 * evaluation, elements of one sequence, and the budget. `timestamp` is jsonata's current time in epoch ms: a fixed day, so that no
 * decision depends on when it is made. `timeout` (ms) is for what the counts miss.
 */
export const EVALUATION_LIMITS = {
  timeout: 15_000,
  stack: 1_000,
  sequence: 200_000,
  timestamp: 0,
  budget: () => createBudget(),
};

/** The same for the evaluator process, whose CPU time the kernel limits: only a busy machine takes this long. */
export const ISOLATED_LIMITS = { ...EVALUATION_LIMITS, timeout: 60_000 };

/**
 * The same limits, with the cost of each evaluation added to a meter.
 *
 * @template {{ readonly budget: () => Budget }} T
 * @param {T} limits
 * @param {Meter} meter
 * @returns {T}
 */
export function metered(limits, meter) {
  return { ...limits, budget: () => createBudget(meter) };
}

/** Characters of a result's JSON; a condition gives `true` or `false`. */
export const RESULT_LIMIT = 1024 * 1024;

/** The clock, randomness, and code from data: a decision depends on the history alone. */
export const BANNED = ["now", "millis", "random", "shuffle", "eval"];
