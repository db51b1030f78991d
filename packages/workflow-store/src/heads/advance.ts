import {
  type CasRef,
  err,
  type Fault,
  fault,
  ok,
  type Result,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { withIndexLock } from "../locks/index.js";
import type { Storage } from "../storage/index.js";
import { stillHeld, type ThreadLock } from "./fence.js";
import { updateHead } from "./heads-file.js";
import { refuseEnded } from "./refuse-ended.js";

type Advance = {
  readonly thread: ThreadId;
  readonly expected: CasRef;
  readonly next: CasRef;
  /** The claim under which the step worked; without one nobody else can know the thread. */
  readonly claim?: ThreadLock;
};

/**
 * Stage 8: moves the head, only from where the step began and only while the claim is ours. Takes the index lock, under which `ending` is written too:
 * a step that finishes after a kill finds it here and never revives the thread.
 */
export function advanceHead(
  storage: Storage,
  { thread, expected, next, claim }: Advance,
): Promise<Result<void, Fault>> {
  return withIndexLock(storage, async () => {
    const held = claim === undefined ? ok(undefined) : stillHeld(claim);
    if (!held.ok) return held;
    const open = refuseEnded(storage, thread);
    if (!open.ok) return open;
    return updateHead(storage, thread, (found) => {
      if (found === null) return err(fault("THREAD_NOT_FOUND", { thread }));
      if (found !== expected) return err(fault("HEAD_MOVED", { thread, expected, found }));
      return ok(next);
    });
  });
}
