/** @import { AstNode } from "./types.js" */

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
  const filters = node.stages ?? node.predicate ?? [];
  return filters.flatMap((filter) => (filter.expr === undefined ? [] : [filter.expr]));
}

/**
 * @param {AstNode} filter
 * @returns {string}
 */
function filterText(filter) {
  return filter.type === "number" ? `[${String(filter.value)}]` : "[…]";
}
