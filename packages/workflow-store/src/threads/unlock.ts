import { isHash } from "@uncaged/json-cas";
import {
  explainHolder,
  type FoundLock,
  type LockRecord,
  readLock,
  releaseLock,
  tryLock,
  type Verdict,
} from "@uncaged/json-cas-fs";
import { type Fault, ok, type Result, type RoutingFailure, type ThreadId } from "@uncaged/workflow-protocol";
import { attempt } from "../attempt.js";
import { removeTree } from "../files.js";
import { isEpochMs } from "../json.js";
import { indexLockPath, threadLockPath } from "../locks.js";
import { type RecordShape, readThreadRecord, removeThreadFile, writeThreadRecord } from "../runs/index.js";
import type { Storage } from "../storage.js";

// A decision that fails on a head fails there again, and only a step learns of it. `runs/<thread>/stuck.json` tells those who
// list many threads, without a look into the log for each. For any head but the thread's it no longer says anything.

type ThreadPosition = { readonly thread: ThreadId; readonly head: string };

type StuckRecord = RoutingFailure & { readonly head: string };

const STUCK: RecordShape<StuckRecord> = {
  name: "stuck.json",
  asRecord: ({ head, code, message, hint, role, timestamp }) => {
    const isKnown =
      isHash(head) &&
      typeof code === "string" &&
      typeof message === "string" &&
      typeof hint === "string" &&
      typeof role === "string" &&
      isEpochMs(timestamp);
    return isKnown ? { head, outcome: "routing", code, message, hint, role, timestamp } : null;
  },
  otherwise: "it is not {head, code, message, hint, role, timestamp}",
};

/** Why routing failed at the thread's head; `null` if it did not. */
export function readStuck(
  storage: Storage,
  { thread, head }: ThreadPosition,
): Result<RoutingFailure | null, Fault> {
  const stuck = readThreadRecord(storage, thread, STUCK);
  if (!stuck.ok || stuck.value === null) return stuck;
  const { head: at, ...failure } = stuck.value;
  return ok(at === head ? failure : null);
}

/** Needs the thread's lock. */
export function writeStuck(
  storage: Storage,
  { thread, head }: ThreadPosition,
  { outcome: _, ...failure }: RoutingFailure,
): Result<void, Fault> {
  return writeThreadRecord(storage, thread, STUCK.name, { head, ...failure });
}

/** A decision leads on after all: a limit was hit once, or uwf is another version now. Needs the thread's lock. */
export function clearStuck(storage: Storage, thread: ThreadId): Result<void, Fault> {
  return removeThreadFile(storage, thread, STUCK.name);
}

/** Who held a lock, whether it is alive, and whether the lock is free now. */
export type Unlocked = {
  readonly released: boolean;
  /** `null`: the lock was free. */
  readonly holder: (FoundLock & Verdict) | null;
};

/**
 * Releases a thread's lock if its holder is provably dead; with `force` any holder's, on a person's word. A lock
 * that is still held afterwards is not a fault.
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

/** Taking the lock breaks a dead record, by the usual protocol. */
function releaseDead(path: string, holder: FoundLock & Verdict): Unlocked {
  const taken = tryLock(path);
  if (taken.kind === "lock") {
    releaseLock(taken);
    return { released: true, holder };
  }
  // Another process was quicker: the dead holder is gone, and this is not the holder that a person saw and
  // meant.
  return { released: false, holder: { ...taken.holder, ...explainHolder(taken.holder) } };
}

/**
 * Removes the record that was seen and no other: under the lock that breakers of it take (json-cas-fs lock.ts),
 * after a second look. A living holder may still release the lock and another take it between that look and the
 * removal: microseconds, for a person who was warned that the holder may be alive.
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
