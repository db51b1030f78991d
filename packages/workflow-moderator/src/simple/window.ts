import type { SimpleCondition } from "./types.js";

/** So many of the last steps can have a part in what the condition gives. */
export function windowOfSimple(condition: SimpleCondition): number {
  switch (condition.kind) {
    case "literal":
      return 0;
    case "path":
      return condition.back;
    case "exists":
      return windowOfSimple(condition.path);
    case "not":
      return windowOfSimple(condition.operand);
    default:
      return Math.max(windowOfSimple(condition.left), windowOfSimple(condition.right));
  }
}
