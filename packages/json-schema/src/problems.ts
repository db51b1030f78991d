import leven from "leven";

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

/** Names that are compared with one word: a file can have 15,000 names and as many words that are none of them. */
const MOST_NAMES = 1000;

/** The known name nearest to `word`, when it is near enough to be meant; ties go to the first. The first 1,000 are looked at. */
export function suggest(word: string, known: Iterable<string>): string | null {
  // A third of the word may be wrong, but one letter always: `a` for `b` is no help, `rol` for `role` is.
  const allowed = Math.max(1, Math.floor(word.length / 3));
  let best: string | null = null;
  let least = Number.POSITIVE_INFINITY;
  let looked = 0;
  for (const name of known) {
    looked += 1;
    if (looked > MOST_NAMES) break;
    const steps = leven(word.toLowerCase(), name.toLowerCase());
    const isNear = steps <= allowed || isSwapped(word, name, steps);
    if (isNear && steps < least && steps < name.length) {
      best = name;
      least = steps;
    }
  }
  return best;
}

/** Two swapped letters are one mistake. */
function isSwapped(word: string, name: string, steps: number): boolean {
  const letters = (text: string): string => [...text.toLowerCase()].sort().join("");
  return steps === 2 && word.length > 3 && letters(word) === letters(name);
}
