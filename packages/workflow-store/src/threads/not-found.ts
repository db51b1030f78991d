import { err, type Fault, fault, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import { indexHistory } from "../history/index.js";
import type { Storage } from "../storage/index.js";

/** Nobody knows the thread. A damaged line of the history may be why, and then that is said. */
export function notFound(storage: Storage, thread: ThreadId): Result<never, Fault> {
  const history = indexHistory(storage, thread);
  return history.ok ? err(fault("THREAD_NOT_FOUND", { thread })) : history;
}
