import type { Problem } from "./types.js";

/** `solve-issue.yaml:12:5: unknown key "goals", did you mean "goal"?` */
export function problemLine(problem: Problem, file: string): string {
  const place = problem.line === null ? file : `${file}:${problem.line}:${problem.column ?? 1}`;
  // What stands in an expression is code, in which quotes have a meaning.
  const quote = /^\/conditions\/[^/]*\/expression$/.test(problem.path) ? "`" : '"';
  const suggestion =
    problem.suggestion === null ? "" : `, did you mean ${quote}${problem.suggestion}${quote}?`;
  return `${place}: ${problem.message}${suggestion}`;
}
