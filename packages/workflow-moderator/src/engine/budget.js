// The folder engine/ is plain JavaScript: it also runs in the evaluator process, which loads it unchanged, from
// the sources (Node 20 reads no TypeScript), from dist/ or from a bundle's chunk.

/** @import { Budget, Meter } from "./types.js" */

/** For one evaluation: nodes evaluated, characters of texts made, items of lists made or compared. */
const MOST = { steps: 2_000_000, characters: 8 * 1024 * 1024, items: 2_000_000 };

/** An evaluation that ends without reporting its cost counts as having used up all limits. */
export const WHOLE_COST = MOST.steps + MOST.items + costOfText(MOST.characters);

/**
 * Reading or copying text, in steps of evaluation: they take the same time.
 *
 * @param {number} characters
 * @returns {number}
 */
export function costOfText(characters) {
  return Math.ceil(characters / 64);
}

/** Levels of one value. Our nodes have 128; both runtimes can walk many more before their stack ends. */
const DEEPEST = 500;

/** Characters of a picture ($formatNumber, $toMillis …): the library takes time in its square. */
const LONGEST_PICTURE = 1_000;

/**
 * What one evaluation may still make. The patched jsonata asks it before each operation that makes something, and it throws
 * a `RangeError` with a sentence. `meter` counts it together with other evaluations.
 *
 * @param {Meter} meter
 * @returns {Budget}
 */
export function createBudget(meter = { cost: 0 }) {
  let steps = 0;
  let characters = 0;
  let items = 0;
  let depth = 0;
  /** @type {Budget["spend"]} */
  const spend = (moreCharacters, moreItems) => {
    characters += moreCharacters;
    items += moreItems;
    meter.cost += moreItems + costOfText(moreCharacters);
    if (characters > MOST.characters) throw exceeded(`makes more than ${MOST.characters} characters of text`);
    if (items > MOST.items) throw exceeded(`makes more than ${MOST.items} items of lists`);
  };
  return {
    step: () => {
      steps += 1;
      meter.cost += 1;
      if (steps > MOST.steps) throw exceeded(`takes more than ${MOST.steps} steps of evaluation`);
    },
    spend,
    deeper: (levels, moreItems) => {
      depth += levels;
      if (depth > DEEPEST) throw exceeded("is nested too deeply");
      spend(0, moreItems);
    },
    measure: (value) => measure(value, spend),
    picture: (text) => {
      if (text.length > LONGEST_PICTURE)
        throw exceeded(`uses a picture of more than ${LONGEST_PICTURE} characters`);
    },
  };
}

/**
 * Spends what the JSON of a value takes, without recursion: a value of few objects can share them so that its JSON has no end.
 *
 * @param {unknown} value
 * @param {Budget["spend"]} spend
 * @returns {void}
 */
function measure(value, spend) {
  /** @type {[unknown, number][]} */
  const open = [[value, 0]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [part, depth] = next;
    if (depth > DEEPEST) throw exceeded("is nested too deeply");
    spend(typeof part === "string" ? part.length : 0, 1);
    if (typeof part !== "object" || part === null || "_jsonata_lambda" in part) continue;
    for (const [name, member] of Object.entries(part)) {
      if (!Array.isArray(part)) spend(name.length, 0);
      open.push([member, depth + 1]);
    }
  }
}

/**
 * @param {string} what
 * @returns {RangeError}
 */
function exceeded(what) {
  return new RangeError(`it ${what}`);
}

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
