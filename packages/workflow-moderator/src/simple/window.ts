import type { SimpleCondition } from "./types.js";

/** How many of the last steps can affect the result; `null`: all. */
export function windowOfSimple(condition: SimpleCondition): number | null {
  switch (condition.kind) {
    case "literal":
    case "member":
      return 0;
    case "path":
      return condition.back;
    case "count":
      return null;
    case "exists":
      return windowOfSimple(condition.path);
    case "not":
      return windowOfSimple(condition.operand);
    default:
      return wider(windowOfSimple(condition.left), windowOfSimple(condition.right));
  }
}

function wider(left: number | null, right: number | null): number | null {
  return left === null || right === null ? null : Math.max(left, right);
}
