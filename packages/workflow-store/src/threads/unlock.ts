import {
  explainHolder,
  type LockRecord,
  readLock,
  releaseLock,
  tryLock,
  type Verdict,
} from "@uncaged/json-cas-fs";
import type { Fault, Result, ThreadId } from "@uncaged/workflow-protocol";
import { attempt } from "../attempt/index.js";
import { removeTree } from "../files/index.js";
import { indexLockPath, threadLockPath } from "../locks/index.js";
import type { Storage } from "../storage/index.js";

/** Who had a lock, whether it still lives, and whether the lock is free now. */
export type Unlocked = {
  readonly released: boolean;
  /** `null`: nobody had it. */
  readonly holder: (LockRecord & Verdict) | null;
};

/**
 * Releases a thread's lock if its holder is provably dead; with `force` whoever holds it, on a person's word. A lock
 * that is still held afterwards is no fault.
 */
export function unlockThread(storage: Storage, thread: ThreadId, force: boolean): Result<Unlocked, Fault> {
  return attempt(() => unlock(threadLockPath(storage, thread), force));
}

/** The same for the lock of threads.yaml, history.jsonl and registry.yaml. */
export function unlockIndex(storage: Storage, force: boolean): Result<Unlocked, Fault> {
  return attempt(() => unlock(indexLockPath(storage), force));
}

function unlock(path: string, force: boolean): Unlocked {
  const record = readLock(path);
  if (record === null) return { released: false, holder: null };
  const holder = { ...record, ...explainHolder(record) };
  if (holder.judgement === "dead") return releaseDead(path, holder);
  return { released: force && removeRecord(path, record), holder };
}

/** Taking the lock breaks a dead record, by the protocol of all who want it. */
function releaseDead(path: string, holder: LockRecord & Verdict): Unlocked {
  const taken = tryLock(path);
  if (taken.kind === "lock") {
    releaseLock(taken);
    return { released: true, holder };
  }
  // Somebody was quicker: the dead one is gone, and this is not the holder that a person saw and meant.
  return { released: false, holder: { ...taken.holder, ...explainHolder(taken.holder) } };
}

/**
 * Removes the record that was seen and no other: under the lock that breakers of it take (json-cas-fs lock.ts), after
 * a second look. A living holder may still give the lock back and another take it between that look and the removal:
 * microseconds, for a person who was told that the holder may live.
 */
function removeRecord(path: string, { nonce }: LockRecord): boolean {
  const breaker = tryLock(`${path}.${nonce}`);
  if (breaker.kind === "busy") return false;
  try {
    const now = readLock(path);
    if (now !== null && now.nonce !== nonce) return false;
    if (now !== null) removeTree(path);
    return true;
  } finally {
    releaseLock(breaker);
  }
}
