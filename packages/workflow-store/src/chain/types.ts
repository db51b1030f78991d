import type { CasRef } from "@uncaged/workflow-protocol";
import type { StartNode, StepNode, WorkflowNode } from "../nodes/index.js";

/** A thread's whole history as values. */
export type Chain = {
  readonly head: CasRef;
  readonly workflow: WorkflowNode;
  readonly start: StartNode;
  /** Oldest first. */
  readonly steps: readonly StepNode[];
};
