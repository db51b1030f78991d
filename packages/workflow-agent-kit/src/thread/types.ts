import type { CasRef, ThreadId } from "@uncaged/workflow-protocol";
import type { RunDir, StartNode, StepNode, Storage, WorkflowNode } from "@uncaged/workflow-store";
import type { Redactor } from "@uncaged/workflow-util";
import type { Env } from "../host/index.js";

/** The thread as this step finds it; nothing of its history is read yet but the newest step. */
export type OpenThread = {
  readonly storage: Storage;
  /** What the author's code sees. */
  readonly env: Env;
  /** With the whole `.env`, for the kit's own calls of a model. */
  readonly ownEnv: Env;
  /** Takes keys out of everything that is stored or shown. */
  readonly redactor: Redactor;
  readonly thread: ThreadId;
  readonly head: CasRef;
  readonly workflow: WorkflowNode;
  readonly start: StartNode;
  /** `null`: this will be the first step. */
  readonly last: StepNode | null;
  /** The run that uwf started this process for; `null` when somebody else did. */
  readonly run: RunDir | null;
};

/** By what an agent knows its own steps again. */
export type Self = {
  /** The name that it gives itself. */
  readonly name: string;
  /** The program of the command that was chosen, without its folder. */
  readonly program: string;
};
