import type { Problem } from "@uncaged/workflow-protocol";

/** A place in a text; both count from 1. */
export type Position = { readonly line: number; readonly column: number };

/**
 * Where a JSON Pointer stands in a text: a map's entry at its key, a list's item at its start.
 * What does not exist is located at its nearest existing parent.
 */
export type Locate = (pointer: string) => Position;

/** A problem before it is located. */
export type Finding = Omit<Problem, "line" | "column">;

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
