import type { AstNode } from "../engine/index.js";
import { onlyScalar, without } from "./compare.js";
import type { Run, Scope } from "./infer.js";
import { isNone, meet, NOTHING, numberIn, orNothing, something, unionOf, type Value } from "./value.js";

/**
 * The scope after `node` was true or false: the values that its paths can still have. `null`: impossible.
 */
export function assume(run: Run, node: AstNode, truth: boolean, scope: Scope): Scope | null {
  if (run.fuel.left < 0) return scope;
  if (node.type === "binary" && (node.value === "and" || node.value === "or")) {
    if ((node.value === "and") !== truth || node.lhs === undefined || node.rhs === undefined) return scope;
    const left = assume(run, node.lhs, truth, scope);
    return left === null ? null : assume(run, node.rhs, truth, left);
  }
  if (node.type === "binary") return assumeComparison(run, node, truth, scope);
  if (node.type === "block" && node.expressions?.length === 1) {
    const [inner] = node.expressions;
    return inner === undefined || node.predicate !== undefined ? scope : assume(run, inner, truth, scope);
  }
  if (node.type === "function") return assumeCall(run, node, truth, scope);
  if (node.type !== "path") return scope;
  return narrow(run, node, scope, (value) => {
    if (value.any) return value;
    return truth ? { ...value, nothing: false, isFalse: false, isNull: false } : { ...value, isTrue: false };
  });
}

function assumeCall(run: Run, node: AstNode, truth: boolean, scope: Scope): Scope | null {
  const [argument] = node.arguments ?? [];
  if (argument === undefined || node.arguments?.length !== 1 || node.procedure?.type !== "variable")
    return scope;
  if (node.procedure.value === "not") return truth ? assume(run, argument, false, scope) : scope;
  if (node.procedure.value !== "exists" || argument.type !== "path") return scope;
  return narrow(run, argument, scope, (value) => {
    if (truth) return something(value);
    return value.nothing ? NOTHING : { ...NOTHING, nothing: false };
  });
}

function assumeComparison(run: Run, node: AstNode, truth: boolean, scope: Scope): Scope | null {
  const { lhs, rhs } = node;
  if (lhs === undefined || rhs === undefined) return scope;
  const operator = String(node.value);
  const left = narrowBy(run, lhs, rhs, operator, truth, scope);
  return left === null ? null : narrowBy(run, rhs, lhs, mirrored(operator), truth, left);
}

function narrowBy(
  run: Run,
  node: AstNode,
  otherNode: AstNode,
  operator: string,
  truth: boolean,
  scope: Scope,
): Scope | null {
  if (keyOf(node) === null) return scope;
  const other = run.evaluate(run, otherNode, scope);
  return narrow(run, node, scope, (value) => narrowed(value, operator, truth, other));
}

function narrowed(value: Value, operator: string, truth: boolean, other: Value): Value {
  const single = other.nothing ? null : onlyScalar(other);
  if (operator === "=" || operator === "!=") {
    if (operator === "=" && truth) return meet(something(value), something(other));
    if (single === null) return operator === "!=" && truth ? something(value) : value;
    if (operator === "=") return without(value, single.value);
    if (truth) return without(something(value), single.value);
    return value.nothing ? orNothing(meet(something(value), other)) : meet(value, other);
  }
  if (!["<", "<=", ">", ">="].includes(operator) || !truth || value.any) return value;
  const there = something(value);
  if (other.any || other.numbers === null || value.numbers === null) return there;
  const { min, max } = other.numbers;
  const range = operator.startsWith("<")
    ? numberIn(Number.NEGATIVE_INFINITY, max)
    : numberIn(min, Number.POSITIVE_INFINITY);
  return unionOf([{ ...there, numbers: null }, meet({ ...there, objects: [], list: null }, range)]);
}

function mirrored(operator: string): string {
  if (operator === "=" || operator === "!=") return operator;
  if (operator.startsWith("<")) return operator.replace("<", ">");
  return operator.startsWith(">") ? operator.replace(">", "<") : "";
}

function narrow(run: Run, node: AstNode, scope: Scope, change: (value: Value) => Value): Scope | null {
  const key = keyOf(node);
  if (key === null) return scope;
  const before = run.evaluate(run, node, scope);
  const after = change(before);
  if (isNone(after) && !isNone(before)) return null;
  return { ...scope, refined: new Map([...scope.refined, [key, after]]) };
}

const PURE: ReadonlySet<string> = new Set(["path", "name", "string", "number", "value", "binary"]);

/** Two paths with the same key have the same value at one place; `null`: not certain. */
export function keyOf(node: AstNode): string | null {
  if (node.type !== "path") return null;
  const parts: unknown[] = [];
  return collect(node, parts, true) ? JSON.stringify(parts) : null;
}

function collect(node: AstNode, parts: unknown[], outside: boolean): boolean {
  const context = node.type === "variable" && outside && node.value === "$" && node.predicate === undefined;
  if (!PURE.has(node.type) && !context) return false;
  parts.push(node.type, node.value ?? null);
  const inner: readonly (readonly [string, AstNode | undefined])[] = [
    ...(node.steps ?? []).map((step) => ["step", step] as const),
    ["lhs", node.lhs],
    ["rhs", node.rhs],
    ...[...(node.stages ?? []), ...(node.predicate ?? [])].map(({ type, expr }) => [type, expr] as const),
  ];
  for (const [kind, part] of inner) {
    if (part === undefined) continue;
    parts.push(kind);
    if (!collect(part, parts, outside)) return false;
    parts.push("end");
  }
  return true;
}
