import {
  type Fault,
  type ModeratorContext,
  ok,
  type Result,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import type { OpenHistory } from "../chain.js";
import type { CachedStorage, Kept, SeenStep } from "./format.js";
import { cacheSteps, wholeHistory } from "./keep.js";

/** A thread's whole history, for conditions that may look at all of it: read when the first one asks, and once. */
export type FullHistory = {
  readonly context: () => Result<ModeratorContext, Fault>;
  /** Tells the cache of the step that has become the head, if the history was asked for. */
  readonly add: (step: SeenStep) => void;
};

/**
 * The one way into the cache. `kept` is for the holder of the thread's lock: what the cache lacks is put there as soon as it
 * is read, before an agent is waited for. `read` uses the cache as it is found.
 */
export function fullHistory(
  storage: CachedStorage,
  thread: ThreadId,
  chain: OpenHistory,
  use: "kept" | "read",
): FullHistory {
  const place = { storage, thread, start: chain.start.hash };
  let kept: Kept | null = null;
  let known: Result<ModeratorContext, Fault> | null = null;
  const read = (): Result<ModeratorContext, Fault> => {
    const whole = wholeHistory(storage, thread, chain);
    if (!whole.ok) return whole;
    if (use === "kept") kept = cacheSteps(place, whole.value.kept, whole.value.lacking);
    return ok(whole.value.context);
  };
  return {
    context: () => {
      known ??= read();
      return known;
    },
    add: (step) => {
      if (kept !== null) kept = cacheSteps(place, kept, [step]);
    },
  };
}
