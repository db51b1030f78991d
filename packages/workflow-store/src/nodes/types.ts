import type { Ref, StartNodePayload, StepNodePayload, WorkflowPayload } from "@uncaged/workflow-protocol";

type Typed<T> = {
  readonly hash: Ref<T>;
  readonly payload: T;
  /** Epoch ms of the first put. */
  readonly timestamp: number;
};

export type WorkflowNode = Typed<WorkflowPayload>;
export type StartNode = Typed<StartNodePayload>;
export type StepNode = Typed<StepNodePayload>;

/** What a head may point to. */
export type ChainNode = ({ readonly kind: "start" } & StartNode) | ({ readonly kind: "step" } & StepNode);
