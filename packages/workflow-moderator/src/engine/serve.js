/** @import { Compiled, Jsonata, Observation, RegexEngine, ServeAnswer, ServeRequest } from "./types.js" */
import { readFileSync, writeSync } from "node:fs";
import jsonata from "jsonata";
import { ISOLATED_LIMITS } from "./limits.js";
import { linearRegexEngine } from "./regex.js";
import { isBoolean, run, sentenceOf } from "./run.js";

const STDIN = 0;
const STDOUT = 1;

/** Reads one request from stdin and writes answers to stdout, one per line. The last complete one counts. */
async function serve() {
  await answer(readFileSync(STDIN, "utf8"), (line) => write(`${JSON.stringify(line)}\n`));
}

/**
 * The evaluator process imports this module by `url` and calls `serve`. Both are in one value, because a bundler drops an
 * export that is only used in the other process.
 */
export const evaluator = { url: import.meta.url, serve };

/**
 * @param {string} text
 * @param {(answer: ServeAnswer) => void} tell
 * @returns {Promise<void>}
 */
async function answer(text, tell) {
  try {
    const end = text.indexOf("\n");
    /** @type {ServeRequest} */
    const request = JSON.parse(text.slice(0, end));
    await observe(request, JSON.parse(text.slice(end + 1)), tell);
  } catch (error) {
    tell({ ok: false, reason: sentenceOf(error) ?? String(error) });
  }
}

/**
 * @param {ServeRequest} request
 * @param {unknown} input
 * @param {(answer: ServeAnswer) => void} tell
 * @returns {Promise<void>}
 */
async function observe({ expression, regex }, input, tell) {
  const compile = /** @type {Jsonata} */ (/** @type {unknown} */ (jsonata));
  const options = regex ? { ...ISOLATED_LIMITS, RegexEngine: await loadRegexEngine() } : ISOLATED_LIMITS;
  const compiled = compile(expression, options);
  const observation = await run(compiled, input, false);
  tell({ ok: true, observation });
  if (!isBoolean(observation)) tell({ ok: true, observation: await traced(compiled, input, observation) });
}

/**
 * The missing paths, from a second evaluation; the first answer is already written.
 *
 * @param {Compiled} compiled
 * @param {unknown} input
 * @param {Observation} known
 * @returns {Promise<Observation>}
 */
async function traced(compiled, input, known) {
  try {
    return await run(compiled, input, true);
  } catch (error) {
    if (sentenceOf(error) === null) throw error;
    return known;
  }
}

/** @returns {Promise<RegexEngine>} */
async function loadRegexEngine() {
  const { RE2JS } = await import("re2js");
  return linearRegexEngine(RE2JS);
}

/** @param {string} text */
function write(text) {
  const bytes = new TextEncoder().encode(text);
  for (let done = 0; done < bytes.length; ) done += writeSync(STDOUT, bytes, done);
}
