import type { Problem } from "@uncaged/workflow-protocol";

/** A place in a text; both count from 1. */
export type Position = { readonly line: number; readonly column: number };

/**
 * Where a JSON Pointer stands in a text: a map's entry at its key, a list's item at its start.
 * What does not exist is located at its nearest existing parent. With an offset, the place in the text that stands
 * there, where blanks are folded and escapes resolved.
 */
export type Locate = (pointer: string, offset?: number | null) => Position;

/** A problem before it is located. `offset`: where in the text at `path`, in UTF-16 units; `null`: the whole of it. */
export type Finding = Omit<Problem, "line" | "column"> & { readonly offset: number | null };

/** Collects what a gate finds, so that a file's problems are reported all at once. */
export type Findings = {
  readonly add: (finding: Finding) => void;
  /** Everything so far, in the order of the text. */
  readonly all: () => readonly Problem[];
};

/** What the keys of a map may be; unknown ones are errors or warnings. */
export type KeyRules = {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  readonly unknown: Problem["severity"];
};
