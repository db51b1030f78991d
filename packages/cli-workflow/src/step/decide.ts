import type { Fault, ModeratorContext, Result, WorkflowPayload } from "@uncaged/workflow-protocol";
import { decide as moderate, type Decision } from "@uncaged/workflow-moderator";

/** Stages 4 and 9: the next role, or the end, from the workflow and the history alone. */
export function decide(workflow: WorkflowPayload, context: ModeratorContext): Promise<Result<Decision, Fault>> {
  return moderate(workflow, context);
}
