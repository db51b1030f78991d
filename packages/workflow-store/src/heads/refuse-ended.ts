import { err, type Fault, fault, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import type { Storage } from "../storage/index.js";
import { earlierDecision } from "./decide-end.js";

/** `THREAD_ENDED` when the history or an `ending` says so. */
export function refuseEnded(storage: Storage, thread: ThreadId): Result<void, Fault> {
  const ended = earlierDecision(storage, thread);
  if (!ended.ok) return ended;
  return ended.value === null
    ? ok(undefined)
    : err(fault("THREAD_ENDED", { thread, reason: ended.value.reason }));
}
