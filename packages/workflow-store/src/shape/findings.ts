import type { Problem, ProblemCode } from "@uncaged/workflow-protocol";
import type { Finding, Findings, Locate } from "./types.js";

export function createFindings(locate: Locate): Findings {
  const problems: Problem[] = [];
  return {
    add: ({ offset, ...finding }: Finding) => {
      problems.push({ ...finding, ...locate(finding.path, offset) });
    },
    all: () => sortProblems(problems),
  };
}

/** In the order of the text; what has no place comes first. */
export function sortProblems(problems: readonly Problem[]): readonly Problem[] {
  return [...problems].sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
}

export function hasErrors(problems: readonly Problem[]): boolean {
  return problems.some((problem) => problem.severity === "error");
}

export function addError(
  findings: Findings,
  path: string,
  message: string,
  code: ProblemCode = "invalid",
): void {
  findings.add({ severity: "error", code, path, offset: null, message, suggestion: null });
}

export function addWarning(
  findings: Findings,
  path: string,
  message: string,
  code: ProblemCode = "invalid",
): void {
  findings.add({ severity: "warning", code, path, offset: null, message, suggestion: null });
}
