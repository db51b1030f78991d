import type { Problem, ProblemCode } from "@uncaged/workflow-protocol";
import type { GraphProblem } from "./types.js";

export function error(
  code: ProblemCode,
  path: string,
  message: string,
  suggestion: string | null = null,
): GraphProblem {
  return problem("error", code, path, message, suggestion);
}

export function warning(
  code: ProblemCode,
  path: string,
  message: string,
  suggestion: string | null = null,
): GraphProblem {
  return problem("warning", code, path, message, suggestion);
}

function problem(
  severity: Problem["severity"],
  code: ProblemCode,
  path: string,
  message: string,
  suggestion: string | null,
): GraphProblem {
  return { severity, code, path, offset: null, message, suggestion };
}

/** A JSON Pointer. */
export function pointer(...parts: readonly (string | number)[]): string {
  return parts.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
