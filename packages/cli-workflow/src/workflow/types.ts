import type { AuthoredWorkflow, CasRef, Problem, WorkflowPayload } from "@uncaged/workflow-protocol";

/** A workflow that passed every check, and what the author should still look at. */
export type CheckedWorkflow = {
  readonly file: string;
  readonly authored: AuthoredWorkflow;
  readonly warnings: readonly Problem[];
};

/** What `<workflow>` on a command line names: a node of the store, or a file that may not be stored yet. */
export type ResolvedWorkflow =
  | {
      readonly kind: "stored";
      readonly hash: CasRef;
      readonly payload: WorkflowPayload;
      readonly timestamp: number;
    }
  | { readonly kind: "file"; readonly checked: CheckedWorkflow };
