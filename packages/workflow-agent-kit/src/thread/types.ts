import type { CasRef, ThreadId } from "@uncaged/workflow-protocol";
import type { RunDir, StartNode, StepNode, Storage, WorkflowNode } from "@uncaged/workflow-store";
import type { Env } from "../host/index.js";

/** The thread as this step finds it; nothing of its history is read yet but the newest step. */
export type OpenThread = {
  readonly storage: Storage;
  readonly env: Env;
  readonly thread: ThreadId;
  readonly head: CasRef;
  readonly workflow: WorkflowNode;
  readonly start: StartNode;
  /** `null`: this will be the first step. */
  readonly last: StepNode | null;
  /** The run that uwf started this process for; `null` when somebody else did. */
  readonly run: RunDir | null;
};
