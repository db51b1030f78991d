import type { ProblemCode } from "@uncaged/workflow-protocol";

/** What is wrong at a place of an expression. */
export type Found = {
  readonly code: ProblemCode;
  /** UTF-16 units from the start of the expression. */
  readonly offset: number;
  readonly message: string;
  readonly suggestion: string | null;
  /** `whole`: a result that nothing else explains; told when no `part` is. */
  readonly about: "part" | "whole";
};

/**
 * A place may be looked at several times: once for each role that a filter meets. It is wrong if it is wrong each time.
 */
export type Notes = Map<string, Found | null>;

export function noteGood(notes: Notes, offset: number, kind: string): void {
  notes.set(`${offset} ${kind}`, null);
}

export function noteBad(notes: Notes, kind: string, found: Found): void {
  const key = `${found.offset} ${kind}`;
  if (notes.get(key) !== null) notes.set(key, found);
}
