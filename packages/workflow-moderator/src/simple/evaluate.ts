import type { ModeratorContext, StepContext } from "@uncaged/workflow-protocol";
import type { Comparison, Scalar, SimpleCondition } from "./types.js";

/** A value that is not a scalar, or an operation whose result in JSONata is not true or false. */
const UNDECIDED = Symbol("undecided");

type Value = Scalar | typeof UNDECIDED;

/** `true` or `false` as in JSONata, or `null`: use JSONata. Exceptions of the context's getters pass through. */
export function evaluateSimple(condition: SimpleCondition, context: ModeratorContext): boolean | null {
  const value = resultOf(condition, { context, step: null });
  return typeof value === "boolean" ? value : null;
}

/** The value of a part of it; `undefined`: nothing is there, it is not a scalar, or it cannot be read. */
export function evaluateValue(part: SimpleCondition, context: ModeratorContext): Scalar {
  try {
    const value = resultOf(part, { context, step: null });
    return value === UNDECIDED ? undefined : value;
  } catch {
    return undefined; // A damaged output: whoever needs it says so.
  }
}

/** What a condition reads: the context, and in a filter one of its steps. */
type Seen = { readonly context: ModeratorContext; readonly step: StepContext | null };

function resultOf(condition: SimpleCondition, seen: Seen): Value {
  switch (condition.kind) {
    case "literal":
      return condition.value;
    case "path":
    case "member":
      return scalarOf(valueAt(condition, seen));
    case "count":
      return count(condition, seen.context);
    case "compare":
      return compare(condition.operator, resultOf(condition.left, seen), resultOf(condition.right, seen));
    case "exists":
      return exists(condition.path, seen);
    case "not": {
      const value = resultOf(condition.operand, seen);
      return typeof value === "boolean" ? !value : UNDECIDED;
    }
    default:
      return connect(condition.kind, condition.left, condition.right, seen);
  }
}

type Path = Extract<SimpleCondition, { readonly kind: "path" | "member" }>;

function valueAt(path: Path, { context, step }: Seen): unknown {
  if (path.kind === "member") return follow(step, path.names);
  return follow(path.back === 0 ? context.start : context.steps.at(-path.back), path.names);
}

/** The value at the end of the path; for a list on the way JSONata would visit its items. */
function follow(from: unknown, names: readonly string[]): unknown {
  let value = from;
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

function exists(path: SimpleCondition, seen: Seen): Value {
  const value = path.kind === "path" || path.kind === "member" ? valueAt(path, seen) : UNDECIDED;
  return value === UNDECIDED || Array.isArray(value) ? UNDECIDED : value !== undefined;
}

/** JSONata's limit for lists. */
const LONGEST = 200_000;

type Count = Extract<SimpleCondition, { readonly kind: "count" }>;

/** Evaluates the filter for every step, since JSONata fails if it fails for any. */
function count({ filter, exists: asked }: Count, context: ModeratorContext): Value {
  const { steps } = context;
  if (steps.length > LONGEST) return UNDECIDED;
  let found = 0;
  for (const step of steps) {
    const fits = filter === null || truthOf(resultOf(filter, { context, step }));
    if (fits === UNDECIDED) return UNDECIDED;
    if (fits) found += 1;
  }
  return asked ? found > 0 : found;
}

function compare(operator: Comparison, left: Value, right: Value): Value {
  if (left === UNDECIDED || right === UNDECIDED) return UNDECIDED;
  if (operator === "=" || operator === "!=") {
    // "Nothing" is neither equal to nor different from anything.
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

/** Evaluates the second operand only if needed, as JSONata does. */
function connect(kind: "and" | "or", first: SimpleCondition, second: SimpleCondition, seen: Seen): Value {
  const left = truthOf(resultOf(first, seen));
  if (left === UNDECIDED || left === (kind === "or")) return left;
  return truthOf(resultOf(second, seen));
}

function truthOf(value: Value): boolean | typeof UNDECIDED {
  if (value === undefined) return false;
  return typeof value === "boolean" ? value : UNDECIDED;
}
