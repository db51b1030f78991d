import { stepsNeeded } from "@uncaged/workflow-moderator";
import { type Fault, ok, type Result } from "@uncaged/workflow-protocol";
import {
  createLazyContext,
  type FullHistory,
  fullHistory,
  type LazyContext,
  type OpenHistory,
  openHistory,
  type Storage,
} from "@uncaged/workflow-store";
import type { Claimed } from "./types.js";

/** A thread's history, read lazily. */
export type Past = {
  readonly chain: OpenHistory;
  /** For conditions that may read all of it. */
  readonly history: FullHistory;
};

/** Stage 3: the history from the head back, read as far as the decisions need it. */
export function linearise(
  storage: Storage,
  { claim, thread }: Pick<Claimed, "claim" | "thread">,
): Result<Past, Fault> {
  const chain = openHistory(storage.cas, claim.head);
  if (!chain.ok) return chain;
  return ok({ chain: chain.value, history: fullHistory(storage, thread, chain.value, "kept") });
}

/**
 * The part of the history that the conditions after a step of the role `key` can read: its last steps, mostly one.
 * `upcoming` counts the steps that the caller appends.
 */
export async function visibleFrom(
  storage: Storage,
  { chain, history }: Past,
  key: string,
  upcoming: number,
): Promise<Result<LazyContext, Fault>> {
  const { head, workflow, start, last } = chain;
  const needed = await stepsNeeded(workflow.payload, key);
  if (needed === null) return contextOfAll(history);
  const steps = last(Math.max(0, needed - upcoming));
  return steps.ok ? ok(createLazyContext(storage.cas, { head, start, steps: steps.value })) : steps;
}

/** Reads all outputs before the evaluation: its time limit is for the expression, not for the disk. */
function contextOfAll(history: FullHistory): Result<LazyContext, Fault> {
  const context = history();
  return context.ok ? ok({ context: context.value, damage: () => null }) : context;
}
