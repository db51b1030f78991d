import type { ModeratorContext } from "@uncaged/workflow-protocol";
import type { Comparison, Scalar, SimpleCondition } from "./types.js";

/** A value that is no scalar, or an operation that JSONata does not answer with true or false. */
const UNDECIDED = Symbol("undecided");

type Value = Scalar | typeof UNDECIDED;

/** `true` or `false` as JSONata would say, or `null`: ask it. Exceptions of the context's getters pass. */
export function evaluateSimple(condition: SimpleCondition, context: ModeratorContext): boolean | null {
  const value = resultOf(condition, context);
  return typeof value === "boolean" ? value : null;
}

function resultOf(condition: SimpleCondition, context: ModeratorContext): Value {
  switch (condition.kind) {
    case "literal":
      return condition.value;
    case "path":
      return scalarOf(follow(context, condition.back, condition.names));
    case "compare":
      return compare(
        condition.operator,
        resultOf(condition.left, context),
        resultOf(condition.right, context),
      );
    case "exists":
      return exists(condition.path, context);
    case "not": {
      const value = resultOf(condition.operand, context);
      return typeof value === "boolean" ? !value : UNDECIDED;
    }
    default:
      return connect(condition.kind, condition.left, condition.right, context);
  }
}

/** What stands at the end of the path; a list on the way makes JSONata go through its items. */
function follow(context: ModeratorContext, back: number, names: readonly string[]): unknown {
  let value: unknown = back === 0 ? context.start : context.steps.at(-back);
  for (const name of names) {
    if (Array.isArray(value)) return UNDECIDED;
    if (typeof value !== "object" || value === null) return undefined;
    value = Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
  }
  return value;
}

function scalarOf(value: unknown): Value {
  if (typeof value === "object" && value !== null) return UNDECIDED;
  return typeof value === "function" ? UNDECIDED : (value as Value);
}

function exists(path: SimpleCondition, context: ModeratorContext): Value {
  const value = path.kind === "path" ? follow(context, path.back, path.names) : UNDECIDED;
  return value === UNDECIDED || Array.isArray(value) ? UNDECIDED : value !== undefined;
}

function compare(operator: Comparison, left: Value, right: Value): Value {
  if (left === UNDECIDED || right === UNDECIDED) return UNDECIDED;
  if (operator === "=" || operator === "!=") {
    // Nothing is neither equal to anything nor different from it.
    if (left === undefined || right === undefined) return false;
    return (left === right) === (operator === "=");
  }
  if (typeof left === "number" && typeof right === "number") return inOrder(operator, left, right);
  return typeof left === "string" && typeof right === "string" ? inOrder(operator, left, right) : UNDECIDED;
}

function inOrder<T extends string | number>(operator: Comparison, left: T, right: T): boolean {
  if (operator === "<") return left < right;
  if (operator === "<=") return left <= right;
  return operator === ">" ? left > right : left >= right;
}

/** The second operand is only looked at when it matters, as by JSONata. */
function connect(
  kind: "and" | "or",
  first: SimpleCondition,
  second: SimpleCondition,
  context: ModeratorContext,
): Value {
  const left = truthOf(resultOf(first, context));
  if (left === UNDECIDED || left === (kind === "or")) return left;
  return truthOf(resultOf(second, context));
}

function truthOf(value: Value): boolean | typeof UNDECIDED {
  if (value === undefined) return false;
  return typeof value === "boolean" ? value : UNDECIDED;
}
