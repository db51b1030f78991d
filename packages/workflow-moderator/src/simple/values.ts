import type { ModeratorContext } from "@uncaged/workflow-protocol";
import { evaluateValue } from "./evaluate.js";
import { parseSimple } from "./parse.js";
import type { SimpleCondition } from "./types.js";

/** What a condition looked at, and what was there. */
export type ReadValue = { readonly path: string; readonly value: string | number | boolean | null };

/**
 * The values that a condition compares, to show a person why it holds: `approved` and `false` of
 * `steps[-1].output.approved = false`. Nothing for a condition that needs JSONata, or for what does not exist.
 */
export function valuesRead(expression: string, context: ModeratorContext): readonly ReadValue[] {
  const condition = parseSimple(expression);
  const parts = condition === null ? [] : partsOf(condition);
  const byPath = new Map(parts.map((part) => [pathOf(part), part]));
  return [...byPath].flatMap(([path, part]) => {
    const value = evaluateValue(part, context);
    return value === undefined ? [] : [{ path, value }];
  });
}

type Part = Extract<SimpleCondition, { readonly kind: "path" | "count" }>;

function partsOf(condition: SimpleCondition): readonly Part[] {
  switch (condition.kind) {
    case "path":
    case "count":
      return [condition];
    case "literal":
    case "member":
      return [];
    case "exists":
      return partsOf(condition.path);
    case "not":
      return partsOf(condition.operand);
    default:
      return [...partsOf(condition.left), ...partsOf(condition.right)];
  }
}

function pathOf(part: Part): string {
  if (part.kind === "count") return countedOf(part.filter);
  const [first, ...rest] = part.names;
  if (part.back === 0) return `start.${part.names.join(".")}`;
  // The last step's output is what most conditions are about.
  if (part.back === 1) return first === "output" && rest.length > 0 ? rest.join(".") : part.names.join(".");
  return `steps[-${part.back}].${part.names.join(".")}`;
}

function countedOf(filter: SimpleCondition | null): string {
  if (filter === null) return "steps";
  const isOfRole =
    filter.kind === "compare" &&
    filter.operator === "=" &&
    filter.left.kind === "member" &&
    filter.left.names.join(".") === "role" &&
    filter.right.kind === "literal";
  return isOfRole ? `steps of ${filter.right.value}` : "matching steps";
}
