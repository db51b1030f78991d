import { stepsNeeded } from "@uncaged/workflow-moderator";
import { type Fault, ok, type Result } from "@uncaged/workflow-protocol";
import {
  contextOf,
  type LazyContext,
  lazyContextOf,
  type OpenHistory,
  openHistory,
  type Storage,
} from "@uncaged/workflow-store";

/** Stage 3: the history from the head back, read as far as the decisions need it. */
export function linearise(storage: Storage, head: OpenHistory["head"]): Result<OpenHistory, Fault> {
  return openHistory(storage.cas, head);
}

/**
 * What the conditions after a step of the role `key` see of the history: as many of its last steps as they can look
 * at, mostly one. `upcoming` counts steps that the caller puts behind them.
 */
export async function visibleFrom(
  storage: Storage,
  { head, workflow, start, last }: OpenHistory,
  key: string,
  upcoming: number,
): Promise<Result<LazyContext, Fault>> {
  const needed = await stepsNeeded(workflow.payload, key);
  const steps = last(needed === null ? null : Math.max(0, needed - upcoming));
  if (!steps.ok) return steps;
  const stretch = { head, start, steps: steps.value };
  if (needed !== null) return ok(lazyContextOf(storage.cas, stretch));
  // All outputs are read before, not during the evaluation: its limit is there for the expression, not for the disk.
  const context = contextOf(storage.cas, stretch);
  return context.ok ? ok({ context: context.value, damage: () => null }) : context;
}
