import type { Problem } from "@uncaged/workflow-protocol";

/** A problem of a workflow before its place in the file is known: `path` is a JSON Pointer into the document. */
export type GraphProblem = Omit<Problem, "line" | "column"> & {
  /** Where in the text at `path`, in UTF-16 units; `null`: the whole of it. */
  readonly offset: number | null;
};

/** A problem of one expression; it has no path of its own. */
export type ExpressionProblem = Omit<GraphProblem, "path">;
