import { type Decision, decide as moderate } from "@uncaged/workflow-moderator";
import type { Fault, ModeratorContext, Result, WorkflowPayload } from "@uncaged/workflow-protocol";

/** Stages 4 and 9: the next role, or the end, from the workflow and the history alone. */
export function decide(
  workflow: WorkflowPayload,
  context: ModeratorContext,
): Promise<Result<Decision, Fault>> {
  return moderate(workflow, context);
}
