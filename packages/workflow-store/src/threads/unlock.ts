import { join } from "node:path";
import { isHash } from "@uncaged/json-cas";
import {
  explainHolder,
  type FoundLock,
  type LockRecord,
  makeDir,
  readLock,
  refuseLink,
  releaseLock,
  removeIfThere,
  replaceFile,
  tryLock,
  type Verdict,
} from "@uncaged/json-cas-fs";
import {
  err,
  type Fault,
  fault,
  ok,
  type Result,
  type RoutingFailure,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { attempt } from "../attempt.js";
import { readRecord, removeTree } from "../files.js";
import { isEpochMs, parseRecord } from "../json.js";
import { indexLockPath, threadLockPath } from "../locks.js";
import { threadRunsPath } from "../runs/index.js";
import type { Storage } from "../storage.js";

// A decision that fails on a head fails there again, and only a step learns of it. `runs/<thread>/stuck.json` tells those who
// list many threads, without a look into the log for each. For any head but the thread's it no longer says anything.

type ThreadPosition = { readonly thread: ThreadId; readonly head: string };

/** Why routing failed at the thread's head; `null` if it did not. */
export function readStuck(
  storage: Storage,
  { thread, head }: ThreadPosition,
): Result<RoutingFailure | null, Fault> {
  const file = stuckPath(storage, thread);
  const text = readRecord(file);
  if (!text.ok || text.value === null) return text.ok ? ok(null) : text;
  const record = parseRecord(text.value);
  const failure = record === null ? null : asFailure(record);
  if (record === null || failure === null || !isHash(record.head)) {
    return err(
      fault("STORE_DAMAGED", { file, reason: "it is not {head, code, message, hint, role, timestamp}" }),
    );
  }
  return ok(record.head === head ? failure : null);
}

function asFailure(record: Readonly<Record<string, unknown>>): RoutingFailure | null {
  const { code, message, hint, role, timestamp } = record;
  const isKnown =
    typeof code === "string" &&
    typeof message === "string" &&
    typeof hint === "string" &&
    typeof role === "string" &&
    isEpochMs(timestamp);
  return isKnown ? { outcome: "routing", code, message, hint, role, timestamp } : null;
}

/** Needs the thread's lock. */
export function writeStuck(
  storage: Storage,
  { thread, head }: ThreadPosition,
  { outcome: _, ...failure }: RoutingFailure,
): Result<void, Fault> {
  return attempt(() => {
    const folder = threadRunsPath(storage, thread);
    refuseLink(folder);
    makeDir(folder);
    replaceFile(stuckPath(storage, thread), `${JSON.stringify({ head, ...failure })}\n`, null);
  });
}

/** A decision leads on after all: a limit was hit once, or uwf is another version now. Needs the thread's lock. */
export function clearStuck(storage: Storage, thread: ThreadId): Result<void, Fault> {
  return attempt(() => {
    removeIfThere(stuckPath(storage, thread));
  });
}

function stuckPath(storage: Storage, thread: ThreadId): string {
  return join(threadRunsPath(storage, thread), "stuck.json");
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
