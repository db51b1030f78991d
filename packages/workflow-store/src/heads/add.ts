import {
  type CasRef,
  err,
  type Fault,
  fault,
  ok,
  type Result,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { readHistoryOf } from "../history/index.js";
import { withIndexLock } from "../locks/index.js";
import type { Storage } from "../storage/index.js";
import { updateHead } from "./heads-file.js";

/** A new thread. Its id is fresh; one that exists already is refused rather than re-pointed. Takes the index lock. */
export function addThread(storage: Storage, thread: ThreadId, head: CasRef): Promise<Result<void, Fault>> {
  return withIndexLock(storage, async () => {
    const ended = readHistoryOf(storage, thread);
    if (!ended.ok) return ended;
    return updateHead(storage, thread, (there) =>
      there !== null || ended.value !== null
        ? err(fault("INVALID_INPUT", { what: `thread ${thread}`, reason: "it exists already" }))
        : ok(head),
    );
  });
}
