import type { AstNode } from "../engine/index.js";

// How far back into the history an expression can look. Only an expression that provably reads just the last k steps has
// a window; this is an allow list, and anything else means the whole history. The argument:
//
//   `steps` is only reached by its name, as the first step of a path, and the first operation on it takes one element
//   from the end. There is no variable (`$` and `$$` are the whole context), no parent operator, no wildcard at the root
//   and no function that uses the context for a missing argument.
//   In a filter, and after the first step of a path, names are looked up in the element, not in the history: treating
//   them as the history's can only make the window too large.

/** Required arguments: with fewer the function uses the context as the first one. */
const FUNCTIONS: Readonly<Record<string, number>> = {
  ...{ exists: 1, not: 1, boolean: 1, count: 1, type: 1, number: 1, string: 1, length: 1, distinct: 1 },
  ...{ sum: 1, max: 1, min: 1, average: 1, abs: 1, floor: 1, ceil: 1, round: 1, sqrt: 1, power: 2 },
  ...{ contains: 2, lowercase: 1, uppercase: 1, trim: 1, match: 2, replace: 3, split: 2, join: 2 },
  ...{ substring: 2, substringBefore: 2, substringAfter: 2, keys: 1, lookup: 2, append: 2, reverse: 1 },
};

/** An index further from the end is not worth a window. */
const FURTHEST = 1000;

/** Allowed keys by type of node, besides `type`, `value` and `position`. */
const KEYS: Readonly<Record<string, string>> = {
  string: "",
  number: "",
  value: "",
  regex: "",
  name: "stages",
  path: "steps",
  binary: "lhs rhs predicate stages",
  unary: "expression expressions predicate stages",
  block: "expressions predicate stages",
  condition: "condition then else predicate stages",
  function: "name arguments procedure predicate stages",
};

/** How many of the last steps can affect the result; `null`: all. */
export function windowOf(node: AstNode): number | null {
  if (!isKnown(node)) return null;
  if (node.type === "path") return windowOfPath(node);
  if (node.type === "function" && !isSelfSufficient(node)) return null;
  return widest([...partsOf(node), ...filtersOf(node)]);
}

/** The path's first name is looked up in the context, the others in the result so far. */
function windowOfPath({ steps = [] }: AstNode): number | null {
  const [first, ...rest] = steps;
  if (first === undefined) return null;
  if (first.type !== "name" || first.value !== "steps") return widest(steps);
  const [index, ...filters] = first.stages ?? [];
  const back = index?.type === "filter" ? backwards(index.expr) : null;
  if (back === null || !isKnown(first)) return null;
  const others = widest([...filters.map(({ expr }) => expr), ...rest]);
  return others === null ? null : Math.max(back, others);
}

/** `3` for the literal -3. */
function backwards(index: AstNode | undefined): number | null {
  if (index?.type !== "number" || typeof index.value !== "number" || !isKnown(index)) return null;
  const { value } = index;
  return Number.isInteger(value) && value < 0 && value >= -FURTHEST ? -value : null;
}

function widest(nodes: readonly (AstNode | undefined)[]): number | null {
  let window = 0;
  for (const node of nodes) {
    const one = node === undefined ? null : windowOf(node);
    if (one === null) return null;
    window = Math.max(window, one);
  }
  return window;
}

function isKnown(node: AstNode): boolean {
  const keys = Object.hasOwn(KEYS, node.type) ? KEYS[node.type] : undefined;
  if (keys === undefined) return false;
  const allowed = ["type", "value", "position", ...keys.split(" ")];
  const used = Object.entries(node).filter(([, value]) => value !== undefined && value !== false);
  const filters = [...(node.stages ?? []), ...(node.predicate ?? [])];
  return used.every(([key]) => allowed.includes(key)) && filters.every(({ type }) => type === "filter");
}

/** Whether it is a function of the list, called by name with all its arguments. */
function isSelfSufficient({ procedure, arguments: given = [] }: AstNode): boolean {
  const name = procedure?.type === "variable" ? String(procedure.value) : "";
  const needed = Object.hasOwn(FUNCTIONS, name) ? (FUNCTIONS[name] ?? null) : null;
  return needed !== null && given.length >= needed && Object.keys(procedure ?? {}).length <= 3;
}

function partsOf(node: AstNode): readonly (AstNode | undefined)[] {
  const { lhs, rhs, condition, expression } = node;
  const lists = [...(node.expressions ?? []), ...(node.arguments ?? [])];
  const branches = [condition, node.then, node.else];
  return [...lists, ...[lhs, rhs, expression, ...branches].filter((part) => part !== undefined)];
}

function filtersOf({ stages = [], predicate = [] }: AstNode): readonly (AstNode | undefined)[] {
  return [...stages, ...predicate].map(({ expr }) => expr);
}
