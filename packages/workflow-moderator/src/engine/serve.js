/** @import { Compiled, Jsonata, Meter, NextRequest, Observation, RegexEngine, ServeAnswer, ServeRequest } from "./types.js" */
import { readFileSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";
import jsonata from "jsonata";
import { costOfText, ISOLATED_LIMITS, metered } from "./budget.js";
import { linearRegexEngine } from "./regex.js";
import { isBoolean, run, sentenceOf } from "./run.js";

const STDIN = 0;
const STDOUT = 1;

/** Reads one request from stdin and writes answers to stdout, one per line. The last complete one counts. */
async function serve() {
  await answer(readFileSync(STDIN, "utf8"));
}

/**
 * Reads one request per line from stdin until it ends, and writes one answer for each. A history is sent once: a request
 * brings only the steps that are new. An expression is compiled once.
 */
async function serveMany() {
  /** @type {string[]} */
  const steps = [];
  /** Also in what was compiled for an earlier request. */
  const meter = { cost: 0 };
  /** @type {Map<string, Compiled>} */
  const known = new Map();
  /** @param {NextRequest} request */
  const answerNext = async (request) => {
    steps.length = request.kept;
    for (const step of request.steps) steps.push(JSON.stringify(step));
    const compiled = known.get(request.expression) ?? (await compile(request, meter));
    known.set(request.expression, compiled);
    // Parsed anew: an expression may write to its input, and the next one must not see that.
    const history = `[${steps.join(",")}]`;
    meter.cost += costOfText(history.length);
    const input = { start: request.start, steps: JSON.parse(history) };
    return run(compiled, input, false);
  };
  for await (const line of createInterface({ input: process.stdin })) {
    meter.cost = costOfText(line.length);
    try {
      const observation = await answerNext(JSON.parse(line));
      tell({ ok: true, observation, cost: meter.cost });
    } catch (error) {
      tell({ ok: false, reason: sentenceOf(error) ?? String(error), cost: meter.cost });
    }
  }
}

/**
 * The evaluator process imports this module by `url` and calls one of the others. They are in one value, because a bundler
 * drops an export that is only used in the other process.
 */
export const evaluator = { url: import.meta.url, serve, serveMany };

/**
 * @param {string} text
 * @returns {Promise<void>}
 */
async function answer(text) {
  const meter = { cost: costOfText(text.length) };
  try {
    const end = text.indexOf("\n");
    /** @type {ServeRequest} */
    const request = JSON.parse(text.slice(0, end));
    await observe(request, JSON.parse(text.slice(end + 1)), meter);
  } catch (error) {
    tell({ ok: false, reason: sentenceOf(error) ?? String(error), cost: meter.cost });
  }
}

/**
 * @param {ServeRequest} request
 * @param {unknown} input
 * @param {Meter} meter
 * @returns {Promise<void>}
 */
async function observe(request, input, meter) {
  const compiled = await compile(request, meter);
  const observation = await run(compiled, input, false);
  tell({ ok: true, observation, cost: meter.cost });
  if (isBoolean(observation)) return;
  const explained = await traced(compiled, input, observation);
  tell({ ok: true, observation: explained, cost: meter.cost });
}

/**
 * @param {ServeRequest} request
 * @param {Meter} meter
 * @returns {Promise<Compiled>}
 */
async function compile({ expression, regex }, meter) {
  const library = /** @type {Jsonata} */ (/** @type {unknown} */ (jsonata));
  const limits = metered(ISOLATED_LIMITS, meter);
  return library(expression, regex ? { ...limits, RegexEngine: await loadRegexEngine() } : limits);
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

/**
 * Costs 12 ms, which only an expression with a regex needs.
 * @returns {Promise<RegexEngine>}
 */
async function loadRegexEngine() {
  const { RE2JS } = await import("re2js");
  return linearRegexEngine(RE2JS);
}

/** @param {ServeAnswer} answer */
function tell(answer) {
  const bytes = new TextEncoder().encode(`${JSON.stringify(answer)}\n`);
  for (let done = 0; done < bytes.length; ) done += writeSync(STDOUT, bytes, done);
}
