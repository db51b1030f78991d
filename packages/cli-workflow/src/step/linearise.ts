import { stepsNeeded } from "@uncaged/workflow-moderator";
import {
  type Fault,
  type ModeratorContext,
  ok,
  type Result,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import {
  type Kept,
  keepSteps,
  type LazyContext,
  lazyContextOf,
  type OpenHistory,
  openHistory,
  type SeenStep,
  type Storage,
  wholeHistory,
} from "@uncaged/workflow-store";

/** The thread's whole history, for conditions that may look at all of it: read when the first one asks, and once. */
export type Whole = {
  readonly context: () => Result<ModeratorContext, Fault>;
  /** Tells the cache of the step that has become the head, if the history was asked for. */
  readonly add: (step: SeenStep) => void;
};

type Place = { readonly storage: Storage; readonly thread: ThreadId; readonly chain: OpenHistory };

/** For who only reads: the cache is used as it is found. */
export function readWhole({ storage, thread, chain }: Place): Whole {
  return { context: once(() => contextIn(wholeHistory(storage, thread, chain))), add: () => undefined };
}

/** For who holds the thread's lock: what the cache lacks is put there at once, before an agent is waited for. */
export function keepWhole({ storage, thread, chain }: Place): Whole {
  const place = { storage, thread, start: chain.start.hash };
  let kept: Kept | null = null;
  const read = (): Result<ModeratorContext, Fault> => {
    const whole = wholeHistory(storage, thread, chain);
    if (whole.ok) kept = keepSteps(place, whole.value.kept, whole.value.lacking);
    return contextIn(whole);
  };
  const add = (step: SeenStep): void => {
    if (kept !== null) kept = keepSteps(place, kept, [step]);
  };
  return { context: once(read), add };
}

function contextIn(whole: ReturnType<typeof wholeHistory>): Result<ModeratorContext, Fault> {
  return whole.ok ? ok(whole.value.context) : whole;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

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
