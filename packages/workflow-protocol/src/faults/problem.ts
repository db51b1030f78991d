import type { Problem } from "./types.js";

/** `solve-issue.yaml:12:5: unknown key "goals", did you mean "goal"?` */
export function problemLine(problem: Problem, file: string): string {
  const place = problem.line === null ? file : `${file}:${problem.line}:${problem.column ?? 1}`;
  const suggestion = problem.suggestion === null ? "" : `, did you mean "${problem.suggestion}"?`;
  return `${place}: ${problem.message}${suggestion}`;
}
