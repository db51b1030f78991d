import { type Decision, decide as moderate } from "@uncaged/workflow-moderator";
import { err, type Fault, type Result, type WorkflowPayload } from "@uncaged/workflow-protocol";
import type { LazyContext } from "@uncaged/workflow-store";

/** Stages 4 and 9: the next role, or the end, from the workflow and the history alone. */
export async function decide(
  workflow: WorkflowPayload,
  { context, damage }: LazyContext,
): Promise<Result<Decision, Fault>> {
  // An output that a condition looked at and nobody can read is damage, not the condition's fault, and no bug either.
  const blame = (otherwise: () => Result<Decision, Fault>): Result<Decision, Fault> => {
    const damaged = damage();
    return damaged === null ? otherwise() : err(damaged);
  };
  try {
    const decision = await moderate(workflow, context);
    return blame(() => decision);
  } catch (error) {
    return blame(() => {
      throw error;
    });
  }
}
