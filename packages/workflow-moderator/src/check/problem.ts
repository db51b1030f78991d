import type { GraphProblem } from "./types.js";

export function error(path: string, message: string, suggestion: string | null = null): GraphProblem {
  return { severity: "error", path, message, suggestion };
}

export function warning(path: string, message: string, suggestion: string | null = null): GraphProblem {
  return { severity: "warning", path, message, suggestion };
}

/** A JSON Pointer. */
export function pointer(...parts: readonly (string | number)[]): string {
  return parts.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
