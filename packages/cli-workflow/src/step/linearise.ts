import { stepsNeeded } from "@uncaged/workflow-moderator";
import { type Fault, ok, type Result } from "@uncaged/workflow-protocol";
import {
  type LazyContext,
  lazyContextOf,
  type OpenHistory,
  openHistory,
  type Storage,
} from "@uncaged/workflow-store";
import type { Whole } from "./whole.js";

/** Stage 3: the history from the head back, read as far as the decisions need it. */
export function linearise(storage: Storage, head: OpenHistory["head"]): Result<OpenHistory, Fault> {
  return openHistory(storage.cas, head);
}

/** Where a decision is made. */
export type Past = { readonly storage: Storage; readonly chain: OpenHistory; readonly whole: Whole };

/**
 * What the conditions after a step of the role `key` see of the history: as many of its last steps as they can look
 * at, mostly one. `upcoming` counts steps that the caller puts behind them.
 */
export async function visibleFrom(
  { storage, chain, whole }: Past,
  key: string,
  upcoming: number,
): Promise<Result<LazyContext, Fault>> {
  const { head, workflow, start, last } = chain;
  const needed = await stepsNeeded(workflow.payload, key);
  if (needed === null) return allOf(whole);
  const steps = last(Math.max(0, needed - upcoming));
  return steps.ok ? ok(lazyContextOf(storage.cas, { head, start, steps: steps.value })) : steps;
}

/** All outputs are read before, not during the evaluation: its limit is there for the expression, not for the disk. */
function allOf(whole: Whole): Result<LazyContext, Fault> {
  const context = whole.context();
  return context.ok ? ok({ context: context.value, damage: () => null }) : context;
}
