import { type Decision, decide as moderate } from "@uncaged/workflow-moderator";
import {
  type CasRef,
  END,
  err,
  FAIL,
  type Fault,
  isRoutingFault,
  type ModeratorContext,
  type Result,
  START,
} from "@uncaged/workflow-protocol";
import type { LazyContext, SeenStep } from "@uncaged/workflow-store";
import { type Past, visibleFrom } from "./linearise.js";

/** Stage 4: the next role, or the end, from the workflow and the history alone. */
export async function decide(past: Past): Promise<Result<Decision, Fault>> {
  const workflow = past.chain.workflow.payload;
  const decision = await decideBy(past, (context) => moderate(workflow, context));
  return decision.ok ? decision : err(failedAt(past.chain.head, decision.error));
}

/** What a moderator gives on the history as it stands. */
export async function decideBy<T>(past: Past, moderator: Moderator<T>): Promise<Result<T, Fault>> {
  const key = past.chain.newest?.payload.role ?? START;
  const visible = await visibleFrom(past, key, 0);
  return visible.ok ? decideOn(visible.value, moderator) : visible;
}

/** `decide` for stage 9: with the step that follows the head. It is recorded all the same; a fault says so. */
export async function decideAfter(past: Past, { hash, step }: SeenStep): Promise<Result<Decision, Fault>> {
  const visible = await visibleFrom(past, step.role, 1);
  if (!visible.ok) return visible;
  const { context, damage } = visible.value;
  const longer = { start: context.start, steps: [...context.steps, step] };
  const workflow = past.chain.workflow.payload;
  const decision = await decideOn({ context: longer, damage }, (seen) => moderate(workflow, seen));
  if (decision.ok || !isRoutingFault(decision.error)) return decision;
  return err({ ...decision.error, head: hash, recorded: hash });
}

/** Where a decision leads, as a graph names it. */
export function targetName(decision: Decision): string {
  if (decision.kind === "role") return decision.role;
  return decision.reason === "end" ? END : FAIL;
}

/** The fault of a decision, with the node that nothing leads on from. */
export function failedAt(head: CasRef, failure: Fault): Fault {
  return isRoutingFault(failure) ? { ...failure, head } : failure;
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
