/** @import { Jsonata, Observation, RegexEngine, ServeAnswer, ServeRequest } from "./types.js" */
import { readFileSync, writeSync } from "node:fs";
import jsonata from "jsonata";
import { EVALUATION_LIMITS } from "./limits.js";
import { linearRegexEngine } from "./regex.js";
import { run, sentenceOf } from "./run.js";

const STDIN = 0;
const STDOUT = 1;

/** One request from stdin, one answer to stdout. */
async function serve() {
  write(JSON.stringify(await answer(readFileSync(STDIN, "utf8"))));
}

/**
 * The evaluator process imports the module at `url`, this one, and calls `serve`. One value, because a bundler drops
 * an export of which it sees no use, and the use is in the other process.
 */
export const evaluator = { url: import.meta.url, serve };

/**
 * @param {string} text
 * @returns {Promise<ServeAnswer>}
 */
async function answer(text) {
  try {
    const end = text.indexOf("\n");
    /** @type {ServeRequest} */
    const request = JSON.parse(text.slice(0, end));
    return { ok: true, observation: await observe(request, JSON.parse(text.slice(end + 1))) };
  } catch (error) {
    return { ok: false, reason: sentenceOf(error) ?? String(error) };
  }
}

/**
 * @param {ServeRequest} request
 * @param {unknown} input
 * @returns {Promise<Observation>}
 */
async function observe({ expression, regex }, input) {
  const compile = /** @type {Jsonata} */ (/** @type {unknown} */ (jsonata));
  const options = regex ? { ...EVALUATION_LIMITS, RegexEngine: await loadRegexEngine() } : EVALUATION_LIMITS;
  return run(compile(expression, options), input, true);
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
