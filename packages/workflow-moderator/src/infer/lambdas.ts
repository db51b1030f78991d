import type { AstNode } from "../engine/index.js";
import type { Run, Scope } from "./infer.js";
import { collapsed, itemsOf, partsOf, within } from "./path.js";
import { ANY, isNone, orNothing, STRING, truthOf, union, unionOf, type Value } from "./value.js";

/** Functions that call their last argument, a function, for each item of a list or each field of an object. */
export const CALLERS: ReadonlySet<string> = new Set(["filter", "map", "single", "reduce", "each"]);

/** The values of a function's body, called with `given`. */
export function evaluateBody(run: Run, lambda: AstNode, given: readonly Value[], scope: Scope): Value {
  if (lambda.body === undefined) return ANY;
  const variables = new Map(scope.variables);
  for (const [i, { value }] of (lambda.arguments ?? []).entries())
    variables.set(String(value), given[i] ?? ANY);
  return run.evaluate(run, lambda.body, { ...within(scope, scope.focus), variables });
}

/** `list`: what is called with, an object for `each`; `initial`: the third argument of `reduce`. */
export function evaluateCaller(
  run: Run,
  name: string,
  lambda: AstNode,
  list: Value,
  initial: Value | null,
  scope: Scope,
): Value {
  if (name === "each") {
    const result = evaluateBody(run, lambda, [ANY, STRING], scope);
    return collapsed(result, 0, Number.POSITIVE_INFINITY);
  }
  const { item, min, max } = itemsOf(list);
  const isEmpty = max === 0 || isNone(item);
  const parts = isEmpty ? [ANY] : partsOf(item);
  if (name === "reduce") {
    const results = parts.map((part) => evaluateBody(run, lambda, [ANY, part], scope));
    const start = initial ?? (isEmpty ? ANY : collapsed(item, Math.min(min, 1), 1));
    const all = union(start, unionOf(results));
    return list.nothing ? orNothing(all) : all;
  }
  const results = parts.map((part) => ({ part, result: evaluateBody(run, lambda, [part], scope) }));
  if (name === "map") {
    const made = unionOf(results.map(({ result }) => result));
    return isEmpty ? ANY : collapsed(made, made.nothing ? 0 : min, max);
  }
  if (list.any || isEmpty) return ANY;
  const left = unionOf(results.filter(({ result }) => truthOf(result).yes).map(({ part }) => part));
  if (name === "filter") return collapsed(left, 0, max);
  return list.nothing ? orNothing(left) : left;
}
