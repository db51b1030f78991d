/** @import { Compiled, Observation } from "./types.js" */
import { BANNED, createBudget, RESULT_LIMIT } from "./budget.js";
import { traceMissing, untrace } from "./trace.js";

/**
 * Evaluates a compiled expression. The banned functions are removed even from jsonata's own frames. Throws errors of
 * jsonata and of the input's getters.
 *
 * @param {Compiled} compiled
 * @param {unknown} input
 * @param {boolean} trace whether to collect the missing paths
 * @returns {Promise<Observation>}
 */
export async function run(compiled, input, trace) {
  for (const name of BANNED) compiled.assign(name, undefined);
  const missing = trace ? traceMissing(compiled) : () => [];
  const evaluating = compiled.evaluate(input, {});
  // It has looked its hooks up: the next evaluation of the same expression has none.
  untrace(compiled);
  const value = await evaluating;
  return { ...described(value), missing: missing() };
}

/**
 * @param {unknown} value
 * @returns {Omit<Observation, "missing">}
 */
function described(value) {
  if (value === undefined) return { kind: "none", json: null };
  if (isFunction(value)) return { kind: "function", json: null };
  if (typeof value === "number" && !Number.isFinite(value)) throw new RangeError(`it gave ${value}`);
  createBudget().measure(value);
  const json = JSON.stringify(value, (_key, part) => (isFunction(part) ? null : part));
  if (json.length > RESULT_LIMIT)
    throw new RangeError(`it gave more than ${RESULT_LIMIT} characters of JSON`);
  return { kind: "value", json };
}

/**
 * @param {unknown} value
 * @returns {boolean}
 */
function isFunction(value) {
  if (typeof value !== "object" || value === null) return typeof value === "function";
  return "_jsonata_function" in value || "_jsonata_lambda" in value;
}

/**
 * @param {Observation} observation
 * @returns {boolean}
 */
export function isBoolean({ json }) {
  return json === "true" || json === "false";
}

/** @type {readonly (readonly [RegExp, string])[]} */
const RANGE_ERRORS = [
  [/call stack/i, "it is nested too deeply"],
  [/out of memory|invalid (string|array) length/i, "it took too much memory"],
  [/toFixed\(\)/, "it formats a number with more than 100 decimal places"],
];

/** Characters of a sentence: jsonata puts the value into it, which may be a text of megabytes. */
const LONGEST_SENTENCE = 500;

/**
 * An error of jsonata or the runtime as a sentence; `null` for an error that is not the expression's.
 *
 * @param {unknown} error
 * @returns {string | null}
 */
export function sentenceOf(error) {
  if (error instanceof RangeError) {
    const known = RANGE_ERRORS.find(([pattern]) => pattern.test(error.message));
    return known === undefined ? error.message : known[1];
  }
  if (error instanceof Error || typeof error !== "object" || error === null) return null;
  if (!("code" in error) || typeof error.code !== "string") return null;
  const message = "message" in error ? shortened(String(error.message)) : "it failed";
  return "position" in error && typeof error.position === "number"
    ? `${message} (${error.code}, at character ${error.position})`
    : `${message} (${error.code})`;
}

/**
 * @param {string} text
 * @returns {string}
 */
function shortened(text) {
  return text.length <= LONGEST_SENTENCE ? text : `${text.slice(0, LONGEST_SENTENCE)}…`;
}
