import { type LockRecord, ownRecord, readLock } from "@uncaged/json-cas-fs";
import type { ThreadId } from "@uncaged/workflow-protocol";
import { attempt } from "../attempt/index.js";
import { threadLockPath } from "../locks/index.js";
import type { Storage } from "../storage/index.js";

/** Who holds the thread, as its lock file says; `null` when nobody does. Throws `CasError` `IO_FAILED`. */
export function readHolder(storage: Storage, thread: ThreadId): LockRecord | null {
  return readLock(threadLockPath(storage, thread));
}

/** Whether the thread's lock names this process; one that cannot be read does not. */
export function isHeldByUs(storage: Storage, thread: ThreadId): boolean {
  const holder = attempt(() => readHolder(storage, thread));
  return holder.ok && holder.value !== null && isOurs(holder.value);
}

/** The pid alone does not tell: a stranger on another host, in another container or of another boot can have ours. */
function isOurs(holder: LockRecord): boolean {
  const own = ownRecord(holder.acquiredAt);
  return (["pid", "startTime", "bootId", "host", "machineId", "pidNamespace"] as const).every(
    (name) => holder[name] === own[name],
  );
}
