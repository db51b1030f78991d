import type { CasNode } from "@uncaged/json-cas";
import type { CasRef, StartNodePayload, StepNodePayload } from "@uncaged/workflow-protocol";

/** A node that is to be written, with the time of the one that it stands for. */
export type Rewritten<T> = { readonly hash: CasRef; readonly payload: T; readonly timestamp: number };

/** A thread's history as it would stand under another workflow. */
export type Rewrite = {
  readonly head: CasRef;
  readonly start: Rewritten<StartNodePayload>;
  /** Oldest first. */
  readonly steps: readonly RewrittenStep[];
};

export type RewrittenStep = Rewritten<StepNodePayload> & {
  /** The step that it stands for. */
  readonly from: CasRef;
  /** Its output, as a node of the role's other `meta`. */
  readonly output: CasNode;
};
