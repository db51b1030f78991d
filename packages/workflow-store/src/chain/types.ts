import type { CasRef, Fault, Result } from "@uncaged/workflow-protocol";
import type { StartNode, StepNode, WorkflowNode } from "../nodes/index.js";

/** A thread's whole history as values. */
export type Chain = {
  readonly head: CasRef;
  readonly workflow: WorkflowNode;
  readonly start: StartNode;
  /** Oldest first. */
  readonly steps: readonly StepNode[];
};

/** A thread's history from its head back, read as far as somebody asks. */
export type OpenHistory = {
  readonly head: CasRef;
  readonly workflow: WorkflowNode;
  readonly start: StartNode;
  /** The step that the head is; `null` before the first. */
  readonly newest: StepNode | null;
  /** The last so many steps (`null`: all), fewer if there are no more; oldest first. Reads what has not been read yet. */
  readonly last: (count: number | null) => Result<readonly StepNode[], Fault>;
  /** The steps behind the newest one that is known, or all; oldest first. The known one is not read for it. */
  readonly since: (isKnown: (hash: CasRef) => boolean) => Result<Since, Fault>;
};

/** `known` is `null` when none is. */
export type Since = { readonly known: CasRef | null; readonly steps: readonly StepNode[] };
