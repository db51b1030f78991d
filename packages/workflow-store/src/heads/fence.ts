import { type Lock, readLock } from "@uncaged/json-cas-fs";
import { err, type Fault, fault, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import { attempt } from "../attempt/index.js";

/** A thread that no other process can step or archive until it is released. */
export type ThreadLock = { readonly thread: ThreadId; readonly lock: Lock };

/**
 * Whether the lock that was taken is still ours: a person may have released it by force while this machine slept, or
 * could not reach the file system. `CLAIM_LOST` when it is not.
 */
export function stillHeld({ thread, lock }: ThreadLock): Result<void, Fault> {
  const holder = attempt(() => readLock(lock.path));
  if (!holder.ok) return holder;
  return holder.value?.nonce === lock.record.nonce ? ok(undefined) : err(fault("CLAIM_LOST", { thread }));
}
