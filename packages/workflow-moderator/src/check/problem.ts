import type { Problem, ProblemCode } from "@uncaged/workflow-protocol";

/** Where a problem is: a JSON Pointer into the document. */
type Spot = {
  readonly path: string;
  /** `null`: the entry's key. A number: that position in the text at `path`, in UTF-16 units. */
  readonly offset: number | "value" | null;
};

/** A problem of a workflow without its place in the file. */
export type GraphProblem = Omit<Problem, "line" | "column" | "also"> &
  Spot & { readonly also: readonly Spot[] };

/** A problem of one expression, without a path. */
export type ExpressionProblem = Omit<GraphProblem, "path" | "offset" | "also"> & {
  /** Position in the expression; `null`: all of it. */
  readonly offset: number | null;
};

export function problemAt(
  severity: Problem["severity"],
  code: ProblemCode,
  offset: number | null,
  message: string,
  suggestion: string | null = null,
): ExpressionProblem {
  return { severity, code, offset, message, suggestion };
}

type Report = (code: ProblemCode, path: string, message: string, suggestion?: string | null) => GraphProblem;

function reports(severity: Problem["severity"], offset: Spot["offset"]): Report {
  return (code, path, message, suggestion = null) => ({
    ...{ severity, code, path, offset, message, suggestion },
    also: [],
  });
}

export const error = reports("error", null);
export const warning = reports("warning", null);

/** An error at the value of a path. */
export const refusal = reports("error", "value");

/** `cause`: the same for problems that are one; `null`: it stands alone. */
export type CausedProblem = { readonly cause: string | null; readonly problem: GraphProblem };

/** What has one cause in several places is one problem. */
export function onePerCause(found: readonly CausedProblem[]): readonly GraphProblem[] {
  const byCause = new Map<string | CausedProblem, GraphProblem>();
  for (const finding of found) {
    const { cause, problem } = finding;
    const key = cause ?? finding;
    const first = byCause.get(key);
    const { path, offset } = problem;
    byCause.set(key, first === undefined ? problem : { ...first, also: [...first.also, { path, offset }] });
  }
  return [...byCause.values()];
}

/** A JSON Pointer. */
export function pointer(...parts: readonly (string | number)[]): string {
  return parts.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
