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
  compileSoonFor,
  isBoolean,
  loadJsonata,
  type Observation,
  run,
  sentenceOf,
} from "../engine/index.js";
import { bannedIn, bannedSentence, hasRegex, isPlain, parseExpression } from "../expression/index.js";
import { evaluateSimple, parseSimple } from "../simple/index.js";
import { evaluateIsolated } from "./isolated.js";

export type JsonValue = StepContext["output"];

/**
 * Evaluates an expression over the context, within bounds: about 2 seconds and 300 MB whatever it is, beside what a large
 * context takes by itself, and the context stays as it was. `undefined` = it gave no value (or a function). The error is a sentence.
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
 * The same with what the expression read in vain, where it did not give `true` or `false`. What the system refused is a
 * fault of its own: no other expression would have fared better.
 */
export async function observeCondition(
  expression: string,
  context: ModeratorContext,
): Promise<Result<Observation, string | Fault>> {
  const simple = parseSimple(expression);
  const answer = simple === null ? null : evaluateSimple(simple, context);
  if (answer !== null) return ok({ kind: "value", json: String(answer), missing: [] });
  return observeByJsonata(expression, context);
}

/** The same for any expression. */
export async function observeByJsonata(
  expression: string,
  context: ModeratorContext,
): Promise<Result<Observation, string | Fault>> {
  const jsonata = await loadJsonata();
  const parsed = parseExpression(jsonata, expression);
  if (!parsed.ok) return parsed;
  const { ast, compiled } = parsed.value;
  const [banned] = bannedIn(ast);
  if (banned !== undefined) return err(bannedSentence(banned));
  if (!isPlain(ast)) return evaluateIsolated({ expression, regex: hasRegex(ast) }, context);
  return evaluateHere(compiled, context);
}

/** Watching a path costs time, so it is done on a second evaluation, when there is something to explain. */
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
    // Not the expression's error: what a getter of the context throws belongs to whoever made it.
    if (reason === null) throw error;
    return err(reason);
  }
}
