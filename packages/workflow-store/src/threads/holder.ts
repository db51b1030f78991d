import { type LockRecord, readLock } from "@uncaged/json-cas-fs";
import type { Fault, Result, ThreadId } from "@uncaged/workflow-protocol";
import { attempt } from "../attempt/index.js";
import { removeTree } from "../files/index.js";
import { threadLockPath } from "../locks/index.js";
import type { Storage } from "../storage/index.js";

/** Who holds the thread, as its lock file says; `null` when nobody does. Throws `CasError` `IO_FAILED`. */
export function readHolder(storage: Storage, thread: ThreadId): LockRecord | null {
  return readLock(threadLockPath(storage, thread));
}

/** Takes the thread's lock away from whoever holds it, and says who that was: for holders that cannot be judged, on a person's word only. */
export function forceUnlock(storage: Storage, thread: ThreadId): Result<LockRecord | null, Fault> {
  return attempt(() => {
    const holder = readHolder(storage, thread);
    if (holder !== null) removeTree(threadLockPath(storage, thread));
    return holder;
  });
}
