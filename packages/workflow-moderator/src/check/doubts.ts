import type { AuthoredWorkflow } from "@uncaged/workflow-protocol";
import { type AstNode, filtersOf, nodesOf } from "../engine/index.js";
import { type Places, placesOf } from "../infer/index.js";
import type { ParsedCondition } from "./expression.js";
import { reachable } from "./graph.js";
import { type ExpressionProblem, problemAt } from "./problem.js";
import { declaredFields } from "./schema.js";

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
  const relying = nodes.filter((node) => isRelying(node, bound)).map((node) => places.startOf(node));
  const message =
    "it relies on the order of an object's keys, which is not the author's: the store sorts them";
  return [...new Set(relying)].map((offset) => problemAt("warning", "key-order", offset, message));
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

// A field of several steps is a list, which equals no text and is neither true nor false: `steps.output.approved` is a
// boolean after the first step and never again.

const COMPARES: ReadonlySet<unknown> = new Set(["=", "!=", "<", "<=", ">", ">="]);
const FIELDS: ReadonlySet<unknown> = new Set(["role", "output", "detail", "agent"]);
const LITERALS: ReadonlySet<string> = new Set(["string", "number", "value"]);

/** Where a condition takes a field of several steps for one value. */
export function comparesSeveralSteps(
  { graph, roles }: AuthoredWorkflow,
  { text, ast }: ParsedCondition,
): readonly ExpressionProblem[] {
  const places = placesOf(text);
  const found = [...nodesOf(ast)].flatMap((node) => {
    const { lhs, rhs } = node;
    if (node === ast && node.type === "path") return [{ path: node, node }];
    if (!COMPARES.has(node.value) || lhs === undefined || rhs === undefined) return [];
    if (LITERALS.has(rhs.type)) return [{ path: lhs, node }];
    return LITERALS.has(lhs.type) ? [{ path: rhs, node }] : [];
  });
  return found.flatMap(({ path, node }) => {
    const read = readOfSteps(path);
    const role = read === null ? null : repeated(read, { graph, roles });
    return role === null ? [] : [listProblem(path, node, role, places)];
  });
}

/** `steps[role='x'].output.f`: the role, if the filter names one, and the field; `null` for a field of every step. */
type Read = { readonly role: string | null; readonly field: string | null };

function readOfSteps({ type, steps = [] }: AstNode): Read | null {
  if (type !== "path") return null;
  const [list, part, field] = steps[0]?.type === "variable" ? steps.slice(1) : steps;
  if (
    list?.value !== "steps" ||
    part?.type !== "name" ||
    !FIELDS.has(part.value) ||
    part.stages !== undefined
  )
    return null;
  if (field?.stages !== undefined || (part.value === "output" && field?.type !== "name")) return null;
  const filters = (list.stages ?? []).map(({ expr }) => expr);
  if (filters.some((filter) => filter?.type !== "binary" || !TESTS.has(filter.value))) return null;
  const tested = filters.flatMap((filter) => (filter === undefined ? [] : rolesIn(filter)));
  return { role: tested[0] ?? null, field: part.value === "output" ? String(field?.value) : null };
}

/** Operators of a filter that is no index. */
const TESTS: ReadonlySet<unknown> = new Set([...COMPARES, "and", "or", "in"]);

function rolesIn({ value, lhs, rhs }: AstNode): readonly string[] {
  if (lhs === undefined || rhs === undefined) return [];
  if (value === "and") return [...rolesIn(lhs), ...rolesIn(rhs)];
  const name = lhs.type === "path" && lhs.steps?.length === 1 ? lhs.steps[0]?.value : null;
  return value === "=" && name === "role" && rhs.type === "string" ? [String(rhs.value)] : [];
}

type Graph = Pick<AuthoredWorkflow, "graph" | "roles">;

/** A role whose field there can be twice; `null`: none. */
function repeated({ role, field }: Read, { graph, roles }: Graph): string | null {
  const names = Object.entries(roles)
    .filter(
      ([name, { meta }]) =>
        name === (role ?? name) && (field === null || declaredFields(meta).includes(field)),
    )
    .map(([name]) => name);
  const targets = (name: string): readonly string[] =>
    Object.hasOwn(graph, name) ? (graph[name] ?? []).map((transition) => transition.role) : [];
  const edges = new Map(Object.keys(graph).map((key) => [key, targets(key)]));
  // The role itself only in a loop.
  const isRepeated = (name: string): boolean => {
    const next = reachable(edges, targets(name));
    return names.some((each) => next.has(each));
  };
  return names.find(isRepeated) ?? null;
}

function listProblem(path: AstNode, node: AstNode, role: string, places: Places): ExpressionProblem {
  const shown = places.textOf(path);
  const isWhole = path === node;
  const never = isWhole ? "neither true nor false" : "never what it is compared with";
  const message = `${shown} is a list once there are two such steps (${role} can be followed by another), and a list is ${never}: say which step`;
  const meant = shown.replace(/^((?:\$\$\.)?steps(?:\[[^\][]*\])?)\./, "$1[-1].");
  const code = isWhole ? "not-boolean" : "cannot-be-equal";
  return problemAt("warning", code, places.startOf(path), message, meant === shown ? null : meant);
}
