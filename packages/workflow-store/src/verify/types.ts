import type { CasRef } from "@uncaged/workflow-protocol";

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
};
