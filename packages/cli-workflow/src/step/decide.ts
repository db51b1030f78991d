import { type Decision, decide as moderate } from "@uncaged/workflow-moderator";
import {
  err,
  type Fault,
  type ModeratorContext,
  type Result,
  START,
  type StepContext,
} from "@uncaged/workflow-protocol";
import type { LazyContext } from "@uncaged/workflow-store";
import { type Past, visibleFrom } from "./linearise.js";

/** Stage 4: the next role, or the end, from the workflow and the history alone. */
export function decide(past: Past): Promise<Result<Decision, Fault>> {
  const workflow = past.chain.workflow.payload;
  return decideBy(past, (context) => moderate(workflow, context));
}

/** What a moderator gives on the history as it stands. */
export async function decideBy<T>(past: Past, moderator: Moderator<T>): Promise<Result<T, Fault>> {
  const key = past.chain.newest?.payload.role ?? START;
  const visible = await visibleFrom(past, key, 0);
  return visible.ok ? decideOn(visible.value, moderator) : visible;
}

/** `decide` for stage 9: with the step that is to follow the head. */
export async function decideAfter(past: Past, step: StepContext): Promise<Result<Decision, Fault>> {
  const visible = await visibleFrom(past, step.role, 1);
  if (!visible.ok) return visible;
  const { context, damage } = visible.value;
  const longer = { start: context.start, steps: [...context.steps, step] };
  const workflow = past.chain.workflow.payload;
  return decideOn({ context: longer, damage }, (seen) => moderate(workflow, seen));
}

type Moderator<T> = (context: ModeratorContext) => Promise<Result<T, Fault>>;

async function decideOn<T>(
  { context, damage }: LazyContext,
  moderator: Moderator<T>,
): Promise<Result<T, Fault>> {
  // An output that a condition looked at and nobody can read is damage, not the condition's fault, and no bug either.
  const blame = (otherwise: () => Result<T, Fault>): Result<T, Fault> => {
    const damaged = damage();
    return damaged === null ? otherwise() : err(damaged);
  };
  try {
    const decision = await moderator(context);
    return blame(() => decision);
  } catch (error) {
    return blame(() => {
      throw error;
    });
  }
}
