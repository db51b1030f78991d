import { type AstNode, filtersOf, nodesOf } from "../engine/index.js";
import { type Places, placesOf } from "../infer/index.js";
import type { ExpressionProblem } from "./problem.js";

// The store sorts the keys of an object, so the first key of an output is not the first that the agent wrote.

/** Functions that list an object's keys or fields. */
const LISTS: ReadonlySet<unknown> = new Set(["keys", "each", "spread"]);

/** Functions that keep the order of their first argument. */
const KEEPS: ReadonlySet<unknown> = new Set(["filter", "map", "distinct", "reverse", "append", "zip"]);

/** Functions whose result depends on the order of their first argument. */
const READS: ReadonlySet<unknown> = new Set(["join", "reduce", "string"]);

/** Where a condition relies on the order of keys. */
export function reliesOnKeyOrder(text: string, ast: AstNode): readonly ExpressionProblem[] {
  const nodes = [...nodesOf(ast)];
  const binds = nodes.filter(({ type }) => type === "bind");
  const bound = new Map(binds.map(({ lhs, rhs }) => [String(lhs?.value), rhs] as const));
  const places = placesOf(text);
  const found = nodes.filter((node) => isRelying(node, bound)).map((node) => problemAt(node, places));
  return [...new Map(found.map((problem) => [problem.offset, problem])).values()];
}

type Bound = ReadonlyMap<string, AstNode | undefined>;

function isRelying(node: AstNode, bound: Bound): boolean {
  if (filtersOf(node).some(({ type }) => type === "number")) return isUnordered(node, bound);
  const [first] = argumentsOf(node);
  if (READS.has(calledName(node))) return isUnordered(first, bound);
  if (node.type !== "binary" || (node.value !== "=" && node.value !== "!=")) return false;
  const sides = [node.lhs, node.rhs];
  const isWrittenList = sides.some((side) => (side?.expressions ?? []).length > 1);
  const isWrittenObject = sides.some(({ type, value } = { type: "" }) => type === "string" && isJson(value));
  return (
    (isWrittenList && sides.some((side) => isUnordered(side, bound))) ||
    (isWrittenObject && sides.some((side) => side !== undefined && calledName(side) === "string"))
  );
}

function isJson(text: unknown): boolean {
  return /^\[?\s*\{/.test(String(text));
}

/** Whether a node gives a list in the order of an object's keys. */
function isUnordered(node: AstNode | undefined, bound: Bound, depth = 0): boolean {
  if (node === undefined || depth > DEEPEST) return false;
  const inner = (part: AstNode | undefined): boolean => isUnordered(part, bound, depth + 1);
  if (node.type === "wildcard" || node.type === "descendant") return true;
  if (node.type === "variable") return inner(bound.get(String(node.value)));
  if (node.type === "block") return node.expressions?.length === 1 && inner(node.expressions[0]);
  if (node.type === "path") {
    const { steps = [] } = node;
    return steps.some((step, i) => (i === 0 || step.type !== "variable") && inner(step));
  }
  const name = calledName(node);
  const [first] = argumentsOf(node);
  // An object that the expression itself makes keeps the order in which it is written.
  if (LISTS.has(name)) return !(first?.type === "unary" && first.value === "{");
  return KEEPS.has(name) && inner(first);
}

const DEEPEST = 20;

/** The function that a node calls, also by `x ~> $f` and `x ~> $f(…)`. */
function calledName(node: AstNode): unknown {
  if (node.type === "apply") {
    return node.rhs?.type === "variable" ? node.rhs.value : node.rhs?.procedure?.value;
  }
  return node.type === "function" ? node.procedure?.value : null;
}

function argumentsOf(node: AstNode): readonly AstNode[] {
  return node.type === "apply" ? (node.lhs === undefined ? [] : [node.lhs]) : (node.arguments ?? []);
}

function problemAt(node: AstNode, places: Places): ExpressionProblem {
  return {
    severity: "warning",
    code: "key-order",
    offset: places.startOf(node),
    message: "it relies on the order of an object's keys, which is not the author's: the store sorts them",
    suggestion: null,
  };
}
