import { type LockRecord, readLock } from "@uncaged/json-cas-fs";
import type { ThreadId } from "@uncaged/workflow-protocol";
import { threadLockPath } from "../locks/index.js";
import type { Storage } from "../storage/index.js";

/** Who holds the thread, as its lock file says; `null` when nobody does. Throws `CasError` `IO_FAILED`. */
export function readHolder(storage: Storage, thread: ThreadId): LockRecord | null {
  return readLock(threadLockPath(storage, thread));
}
