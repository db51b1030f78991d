import type { Fault, Result } from "@uncaged/workflow-protocol";
import type { JsonValue } from "../condition/index.js";

/** A transition that was looked at. `condition: null` always matches; `expression` is the condition's, or `null`. */
export type TriedTransition = {
  readonly role: string;
  readonly condition: string | null;
  readonly expression: string | null;
  readonly value: boolean;
};

/** Where a transition leads: to a role, or to `$END` (reason `end`) or `$FAIL` (`failed`). */
export type Target =
  | { readonly kind: "role"; readonly role: string }
  | { readonly kind: "end"; readonly reason: "end" | "failed" };

/** Where the thread goes, and the transitions that were tried up to there, in order. */
export type Decision = Target & {
  readonly tried: readonly TriedTransition[];
};

/** A transition of the node, evaluated whether or not an earlier one matched. */
export type ExplainedTransition = {
  readonly role: string;
  readonly condition: string | null;
  readonly expression: string | null;
  /** What the expression gave; `null` also when it gave nothing, which is an error. */
  readonly value: JsonValue;
  /** Why this transition cannot be taken, as a sentence; `null` when its value is `true` or `false` and it leads somewhere. */
  readonly error: string | null;
};

export type Explanation = {
  readonly decision: Result<Decision, Fault>;
  readonly transitions: readonly ExplainedTransition[];
};
