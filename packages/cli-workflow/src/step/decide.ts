import { type Decision, decide as moderate } from "@uncaged/workflow-moderator";
import {
  err,
  type Fault,
  type Result,
  START,
  type StepContext,
  type WorkflowPayload,
} from "@uncaged/workflow-protocol";
import type { LazyContext } from "@uncaged/workflow-store";
import { visibleFrom } from "./linearise.js";
import type { Road } from "./types.js";

/** Stage 4: the next role, or the end, from the workflow and the history alone. */
export async function decide({ storage, chain }: Road): Promise<Result<Decision, Fault>> {
  const key = chain.newest?.payload.role ?? START;
  const visible = await visibleFrom(storage, chain, key, 0);
  return visible.ok ? decideOn(chain.workflow.payload, visible.value) : visible;
}

/** The same for stage 9: with the step that is to follow the head. */
export async function decideAfter(
  { storage, chain }: Road,
  step: StepContext,
): Promise<Result<Decision, Fault>> {
  const visible = await visibleFrom(storage, chain, step.role, 1);
  if (!visible.ok) return visible;
  const { context, damage } = visible.value;
  const longer = { start: context.start, steps: [...context.steps, step] };
  return decideOn(chain.workflow.payload, { context: longer, damage });
}

async function decideOn(
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
