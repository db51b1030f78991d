// The folder engine/ is plain JavaScript: it also runs in the evaluator process, which loads it unchanged, from
// the sources (Node 20 reads no TypeScript), from dist/ or from a bundle's chunk.

/** Limits enforced by jsonata: milliseconds, levels of evaluation, elements of one sequence. */
export const EVALUATION_LIMITS = { timeout: 1_500, stack: 1_000, sequence: 200_000 };

/** The same for the evaluator process, whose CPU time the kernel limits: only a busy machine takes this long. */
export const ISOLATED_LIMITS = { ...EVALUATION_LIMITS, timeout: 10_000 };

/** Characters of a result's JSON; a condition gives `true` or `false`. */
export const RESULT_LIMIT = 1024 * 1024;

/** The clock, randomness, and code from data: a decision depends on the history alone. */
export const BANNED = ["now", "millis", "random", "shuffle", "eval"];
