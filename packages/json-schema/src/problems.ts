/** One way in which a value breaks its schema. */
export type Violation = {
  /** JSON Pointer into the value; "" is the value itself. */
  readonly path: string;
  readonly keyword: string;
  /** What the schema asks for, in words: `boolean`, `one of "a", "b"`, `at most 3 items`. */
  readonly expected: string;
  /** What is there, in words and cut short: `"yes"`, `nothing`. */
  readonly got: string;
};

/** One way in which a schema is not one of ours. */
export type SchemaProblem = {
  /** JSON Pointer into the schema. */
  readonly path: string;
  readonly message: string;
  /** The nearest known name, when a name is unknown. */
  readonly suggestion: string | null;
};

/** `/steps/0: expected string, got 42 (type)` */
export function violationMessage(violation: Violation): string {
  const at = violation.path === "" ? "the value" : violation.path;
  return `${at}: expected ${violation.expected}, got ${violation.got} (${violation.keyword})`;
}

export function schemaProblemMessage(problem: SchemaProblem): string {
  const at = problem.path === "" ? "the schema" : problem.path;
  const hint = problem.suggestion === null ? "" : `, did you mean "${problem.suggestion}"?`;
  return `${at}: ${problem.message}${hint}`;
}
