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
  type OpenHistory,
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
