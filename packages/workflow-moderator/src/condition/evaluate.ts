import {
  err,
  type Fault,
  type ModeratorContext,
  messageOf,
  ok,
  type Result,
  type StepContext,
} from "@uncaged/workflow-protocol";
import {
  type Compiled,
  isBoolean,
  loadJsonata,
  type Meter,
  type Observation,
  run,
  sentenceOf,
} from "../engine/index.js";
import { bannedSentence, hasRegex, parseExpression } from "../expression/index.js";
import { evaluateIsolated } from "./isolated.js";

export type JsonValue = StepContext["output"];

/** Whether an expression is evaluated in this process: what asks it of many steps starts no other one. */
export async function isPlainCondition(expression: string): Promise<boolean> {
  const parsed = parseExpression(await loadJsonata(), expression);
  return parsed.ok && parsed.value.isPlain;
}

/**
 * Evaluates an expression over the context without changing it. What it makes is counted, so every runtime ends it at the
 * same place. `undefined`: no value, or a function. The error is a sentence.
 */
export async function evaluateCondition(
  expression: string,
  context: ModeratorContext,
): Promise<Result<JsonValue | undefined, string>> {
  const observed = await observeCondition(expression, context);
  if (!observed.ok)
    return err(typeof observed.error === "string" ? observed.error : messageOf(observed.error));
  const { json } = observed.value;
  return ok(json === null ? undefined : (JSON.parse(json) as JsonValue));
}

/**
 * The same with the missing paths that the expression read, if it did not give `true` or `false`. An error of the system
 * is a fault: it is not the expression's. `meter` counts what it costs.
 */
export async function observeCondition(
  expression: string,
  context: ModeratorContext,
  meter: Meter | null = null,
): Promise<Result<Observation, string | Fault>> {
  const jsonata = await loadJsonata();
  const parsed = parseExpression(jsonata, expression, meter);
  if (!parsed.ok) return parsed;
  const { ast, banned, compiled } = parsed.value;
  if (banned !== null) return err(bannedSentence(banned));
  if (!parsed.value.isPlain) return evaluateIsolated({ expression, regex: hasRegex(ast) }, context, meter);
  return evaluateHere(compiled, context);
}

/** Tracing costs time, so it needs a second evaluation, only when there is something to explain. */
async function evaluateHere(
  compiled: Compiled,
  context: ModeratorContext,
): Promise<Result<Observation, string>> {
  compileSoonFor(context.steps.length);
  try {
    const first = await run(compiled, context, false);
    return ok(isBoolean(first) ? first : await run(compiled, context, true));
  } catch (error) {
    const reason = sentenceOf(error);
    // Not the expression's error: a getter of the context threw it.
    if (reason === null) throw error;
    return err(reason);
  }
}

type Engine = { readonly Bun?: { readonly unsafe?: { readonly setJITPolicy?: (scale: number) => void } } };

/** From this many steps compiling jsonata's code pays off (measured on bun 1.4). */
const MANY = 1_000;

/** Resets the JIT thresholds of bun's engine: our launchers raise them, since most runs are too short to gain. */
export function compileSoonFor(steps: number): void {
  if (steps >= MANY) (globalThis as Engine).Bun?.unsafe?.setJITPolicy?.(1);
}
