import { type Decision, decide as moderate } from "@uncaged/workflow-moderator";
import {
  type CasRef,
  END,
  err,
  FAIL,
  type Fault,
  hintOf,
  isRoutingFault,
  type ModeratorContext,
  messageOf,
  type Result,
  START,
  type StepContext,
} from "@uncaged/workflow-protocol";
import { type LazyContext, readStuck, type Storage, writeThreadRecord } from "@uncaged/workflow-store";
import { type Past, visibleFrom } from "./linearise.js";
import type { StepState } from "./types.js";

type DecisionContext = Past & { readonly storage: Storage };

/**
 * Stage 4: calls the moderator's `decide` for the next role, or the end, from the workflow and the history alone. A
 * failed decision is stored for `thread list` and `thread show`.
 */
export async function decide(state: StepState): Promise<Result<Decision, Fault>> {
  const { chain, storage, thread } = state;
  const decision = await decideAtHead(state, (context) => moderate(chain.workflow.payload, context));
  if (decision.ok) {
    writeThreadRecord(storage, thread, "stuck", null);
    return decision;
  }
  const failure = failedAt(chain.head, decision.error);
  noteStuck(state, failure);
  return err(failure);
}

/** Calls a moderator on the history so far. */
export async function decideAtHead<T>(
  place: DecisionContext,
  moderator: Moderator<T>,
): Promise<Result<T, Fault>> {
  const key = place.chain.newest?.payload.role ?? START;
  const visible = await visibleFrom(place.storage, place, key, 0);
  return visible.ok ? runModerator(visible.value, moderator) : visible;
}

/** `decide` for stage 9: with the new step after the head. The step stays recorded if this fails; the fault says so. */
export async function decideAfter(
  state: StepState,
  { hash, step }: { readonly hash: CasRef; readonly step: StepContext },
): Promise<Result<Decision, Fault>> {
  const { chain, storage } = state;
  const visible = await visibleFrom(storage, state, step.role, 1);
  if (!visible.ok) return visible;
  const { context, damage } = visible.value;
  const longer = { start: context.start, steps: [...context.steps, step] };
  const decision = await runModerator({ context: longer, damage }, (seen) =>
    moderate(chain.workflow.payload, seen),
  );
  if (decision.ok) state.watch?.decided(decision.value, longer);
  if (decision.ok || !isRoutingFault(decision.error)) return decision;
  return err({ ...decision.error, head: hash, recorded: hash });
}

/** The target of a decision, as the graph names it. */
export function targetName(decision: Decision): string {
  if (decision.kind === "role") return decision.role;
  return decision.reason === "end" ? END : FAIL;
}

/** Adds the head to a routing fault. */
export function failedAt(head: CasRef, failure: Fault): Fault {
  return isRoutingFault(failure) ? { ...failure, head } : failure;
}

type Moderator<T> = (context: ModeratorContext) => Promise<Result<T, Fault>>;

async function runModerator<T>(
  { context, damage }: LazyContext,
  moderator: Moderator<T>,
): Promise<Result<T, Fault>> {
  // If a condition read an output that is damaged, the fault is the damage, not the condition and not a bug.
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

/**
 * Records that the decision failed: in the log, once per head, and in a file beside the thread's runs, for `thread list`
 * and `thread show`. The log comes first: if we die in between, the next step logs it again.
 */
export function noteStuck({ storage, thread, log, host, warn }: StepState, failure: Fault): void {
  if (!isRoutingFault(failure) || failure.head === null) return;
  const { code, role } = failure;
  const { head } = failure;
  const known = readStuck(storage, { thread, head });
  if (known.ok && known.value?.code === code) return;
  const message = messageOf(failure);
  log("M5WZ8D2H", message, "stuck", { code, role, head });
  const stuck = { head, code, message, hint: hintOf(failure), role, timestamp: host.now() };
  const written = writeThreadRecord(storage, thread, "stuck", stuck);
  if (!written.ok) warn(`cannot store that the thread is stuck: ${messageOf(written.error)}`);
}
