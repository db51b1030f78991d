import type { Problem } from "./types.js";

/** `file:line rule: message`, one per line, in the order of `sortProblems`. */
export function formatProblems(problems: readonly Problem[]): string {
  return sortProblems(problems).map(formatProblem).join("\n");
}

export function sortProblems(problems: readonly Problem[]): readonly Problem[] {
  return [...problems].sort(
    (a, b) => compare(a.file, b.file) || (a.line ?? 0) - (b.line ?? 0) || compare(a.message, b.message),
  );
}

function formatProblem({ file, line, rule, message }: Problem): string {
  return `${file}${line === null ? "" : `:${line}`}  ${rule}: ${message}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
