import { type CasRef, type Fault, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import { withIndexLock } from "../locks/index.js";
import type { Storage } from "../storage/index.js";
import { updateHead } from "./heads-file.js";

/**
 * Takes back a thread that was only just added and of which nobody has been told: its line goes if it still has that
 * head. Takes the index lock.
 */
export function withdrawThread(
  storage: Storage,
  thread: ThreadId,
  head: CasRef,
): Promise<Result<void, Fault>> {
  return withIndexLock(storage, () =>
    updateHead(storage, thread, (found) => ok(found === head ? null : found)),
  );
}
