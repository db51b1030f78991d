/** @import { AstNode, Compiled, EvaluationHook } from "./types.js" */

const ENTRY = Symbol.for("jsonata.__evaluate_entry");
const EXIT = Symbol.for("jsonata.__evaluate_exit");

/** Missing paths that are reported. */
const TOLD = 8;

/**
 * Traces an expression with jsonata's hooks; call the result after the evaluation. A path is missing if it was read and
 * never gave a value, unless the expression tests for that ($exists, ??, ?:).
 *
 * @param {Compiled} compiled
 * @returns {() => readonly string[]}
 */
export function traceMissing(compiled) {
  const asked = askedPaths(compiled.ast());
  /** @type {Map<AstNode, number>} */
  const entered = new Map();
  /** @type {Map<AstNode, number[]>} */
  const running = new Map();
  /** @type {Map<AstNode, string | null>} */
  const outcome = new Map();
  let clock = 0;

  /** @type {EvaluationHook} */
  const entry = (node) => {
    clock += 1;
    entered.set(node, clock);
    if (node.steps !== undefined) running.set(node, [...(running.get(node) ?? []), clock]);
  };
  /** @type {EvaluationHook} */
  const exit = (node, _input, _frame, result) => {
    const { steps } = node;
    if (steps === undefined) return;
    const since = running.get(node)?.pop() ?? 0;
    if (!isNothing(result)) outcome.set(node, null);
    else if (!outcome.has(node)) outcome.set(node, pathText(steps, reached(steps, entered, since)));
  };
  compiled.assign(ENTRY, entry);
  compiled.assign(EXIT, exit);
  return () => {
    const told = [...outcome].flatMap(([node, text]) => (text === null || asked.has(node) ? [] : [text]));
    return [...new Set(told)].slice(0, TOLD);
  };
}

/** @param {Compiled} compiled */
export function untrace(compiled) {
  compiled.assign(ENTRY, undefined);
  compiled.assign(EXIT, undefined);
}

/**
 * How many steps of a path were taken before one gave nothing.
 *
 * @param {readonly AstNode[]} steps
 * @param {ReadonlyMap<AstNode, number>} entered
 * @param {number} since
 * @returns {number}
 */
function reached(steps, entered, since) {
  const last = steps.findLastIndex((step) => (entered.get(step) ?? 0) > since);
  return last === -1 ? steps.length : last + 1;
}

/**
 * @param {unknown} result
 * @returns {boolean}
 */
function isNothing(result) {
  return result === undefined || (Array.isArray(result) && "sequence" in result && result.length === 0);
}

/**
 * The paths that an expression tests for existence.
 *
 * @param {AstNode} root
 * @returns {ReadonlySet<AstNode>}
 */
function askedPaths(root) {
  /** @type {Set<AstNode>} */
  const asked = new Set();
  for (const node of nodesOf(root)) {
    const exists = node.type === "function" && node.procedure?.value === "exists";
    for (const argument of exists ? (node.arguments ?? []) : []) asked.add(argument);
    if (node.condition !== undefined) asked.add(node.condition);
  }
  return asked;
}

/**
 * Every node of a tree, parents first.
 *
 * @param {AstNode} root
 * @returns {Generator<AstNode, void, void>}
 */
export function* nodesOf(root) {
  for (const [node] of nodesWithDepth(root)) yield node;
}

/**
 * Every node of a tree, parents first, with the number of nodes that it lies in, itself included.
 *
 * @param {AstNode} root
 * @returns {Generator<[AstNode, number], void, void>}
 */
export function* nodesWithDepth(root) {
  /** @type {[object, number][]} */
  const open = [[root, 0]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [part, above] = next;
    const depth = isNode(part) ? above + 1 : above;
    if (isNode(part)) yield [part, depth];
    const members = /** @type {readonly unknown[]} */ (Object.values(part));
    for (const member of members.toReversed())
      if (typeof member === "object" && member !== null && !(member instanceof RegExp))
        open.push([member, depth]);
  }
}

/**
 * The nodes right below a node, without its filters, the function that it calls and the body of one that it makes.
 *
 * @param {AstNode} node
 * @returns {readonly AstNode[]}
 */
export function partsOf(node) {
  const one = [node.lhs, node.rhs, node.expression, node.condition, node.then, node.else];
  const many = [...(node.steps ?? []), ...(node.expressions ?? []), ...(node.arguments ?? [])];
  return [...many, ...one].filter((part) => part !== undefined && "type" in part);
}

/**
 * @param {object} part
 * @returns {part is AstNode}
 */
function isNode(part) {
  return "type" in part && typeof part.type === "string";
}

/**
 * A path's first `count` steps as an author would write them: `steps[-1].output.approved`.
 *
 * @param {readonly AstNode[]} steps
 * @param {number} count
 * @returns {string}
 */
export function pathText(steps, count) {
  return steps.slice(0, count).map(stepText).join(".");
}

/**
 * @param {AstNode} step
 * @returns {string}
 */
function stepText(step) {
  return `${headText(step)}${filtersOf(step).map(filterText).join("")}`;
}

/**
 * @param {AstNode} step
 * @returns {string}
 */
function headText(step) {
  if (step.type === "variable") return `$${String(step.value)}`;
  if (step.type === "wildcard") return "*";
  if (step.type !== "name") return "(…)";
  const name = String(step.value);
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? name : `\`${name}\``;
}

/**
 * The predicates after a step or another expression.
 *
 * @param {AstNode} node
 * @returns {readonly AstNode[]}
 */
export function filtersOf(node) {
  const filters = [...(node.stages ?? []), ...(node.predicate ?? [])];
  return filters.flatMap((filter) => (filter.expr === undefined ? [] : [filter.expr]));
}

/**
 * @param {AstNode} filter
 * @returns {string}
 */
function filterText(filter) {
  return filter.type === "number" ? `[${String(filter.value)}]` : "[…]";
}
