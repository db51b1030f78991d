import type { CasNode } from "@uncaged/json-cas";
import type { CasRef } from "@uncaged/workflow-protocol";
import type { StepNode } from "../nodes/index.js";

/** What an agent's node must be to become the next head. */
export type StepExpectation = {
  /** What the agent printed. */
  readonly hash: string;
  /** The head that the step follows; the start's hash for the first step. */
  readonly head: CasRef;
  readonly startHash: CasRef;
  readonly role: string;
  /** Type of the role's output. */
  readonly meta: CasRef;
  /** Whether a node is one that the thread has recorded: what that reaches was looked at then. */
  readonly isRecorded: (hash: CasRef) => boolean;
};

/** A step that passed, with the nodes that were read for it: nobody has to read them again. */
export type CheckedStep = StepNode & { readonly output: CasNode; readonly detail: CasNode };
