/** Every kind of problem in a file that people write, and when it is reported: docs/errors.md, and the rules of SARIF. */
export const PROBLEMS = {
  syntax:
    "the YAML or JSONata cannot be parsed; for YAML only the first mistake, because the text after it is misread",
  "unknown-key": "a key that does not exist; the message names the known ones",
  "missing-key": "a required key is missing",
  "wrong-type":
    "a value of the wrong type, as text where a list belongs; in an expression, an operator or function that does not accept its operands",
  invalid: "a value that breaks a rule, such as that of names",
  "invalid-schema": "a `meta` that is not a JSON Schema of an object",
  "missing-entry": "the graph has no entry for `$START` or a role, or no transitions there",
  "unknown-role": "a role in the graph or a condition that is not defined",
  "unknown-condition": "a condition in the graph that is not defined",
  "unknown-workflow":
    "a warning of `put` and `validate`: a role is played by a workflow that is neither registered nor local",
  "unknown-field":
    "a condition reads a field that the context, a step or the role's `meta` does not have; a warning: `required` names what is not among the properties",
  "unknown-value": "a condition compares with a value outside an enum or range",
  "unknown-function": "a condition calls a function that JSONata does not have",
  "unknown-variable": "a condition names a variable that it does not bind, like `$steps` for `steps`",
  "cannot-be-equal": "a condition compares values of different types",
  "never-true": "a condition, or part of it, is never true; a transition after the fallback is never taken",
  "always-true": "a condition, or part of it, is always true",
  "not-boolean": "a condition never evaluates to `true` or `false`",
  "not-allowed":
    "a condition uses the clock, random numbers or `$eval`, or a regular expression without a time bound",
  "no-end": "no path leads from `$START` to an end (an error), or from some role (a warning)",
  "unreachable-role": "a warning: a role that cannot be reached from `$START`",
  "no-fallback": "a warning: the conditions of a role's transitions may all be false",
  "unused-condition": "a warning: no transition uses the condition",
  "nothing-required":
    "a warning: a condition reads the output of a role whose `meta` requires no field, so an empty output decides too",
  "may-be-missing": "a warning: a condition reads a field that the role's `meta` does not require",
  "misplaced-index": "a warning: `steps.role[-1]`, where `steps[-1].role` is meant",
  "key-order":
    "a warning: `$keys(steps[-1].output)[0]`; the store sorts keys, so their order is not the author's",
  "file-name": "a warning: the file is not named after the workflow",
} as const;

/** What kind of problem it is, for programs. */
export type ProblemCode = keyof typeof PROBLEMS;

/** One finding in a file that people write: a workflow or config.yaml. Lines and columns count from 1. */
export type Problem = {
  readonly code: ProblemCode;
  readonly severity: "error" | "warning";
  readonly line: number | null;
  readonly column: number | null;
  /** JSON Pointer into the document; "" is the document. */
  readonly path: string;
  readonly message: string;
  /** What was probably meant, if known: the nearest known name, the right operator. */
  readonly suggestion: string | null;
  /** Further places of the same mistake. */
  readonly also: readonly { readonly line: number; readonly column: number }[];
};

/** `solve-issue.yaml:12:5: unknown key "goals", did you mean "goal"?` */
export function problemLine(problem: Problem, file: string): string {
  const place = problem.line === null ? file : `${file}:${problem.line}:${problem.column ?? 1}`;
  const help = problemHelp(problem);
  return `${place}: ${problem.message}${help === "" ? "" : `, ${help}`}`;
}

/** `did you mean "goal"?`, and where else the same mistake is; "" if there is nothing to say. */
export function problemHelp({ path, suggestion, also }: Problem): string {
  // In code quotes have a meaning.
  const isCode = /^\/conditions\/[^/]*\/expression$/.test(path) || (suggestion ?? "").includes('"');
  const quote = isCode ? "`" : '"';
  const meant = suggestion === null ? "" : `did you mean ${quote}${suggestion}${quote}?`;
  const places = also.slice(0, SHOWN_PLACES).map(({ line, column }) => `${line}:${column}`);
  const more = also.length > places.length ? ` and ${also.length - places.length} more` : "";
  const others = places.length === 0 ? "" : `also at ${places.join(", ")}${more}`;
  return [meant, others].filter((part) => part !== "").join(" ");
}

const SHOWN_PLACES = 5;
