import { acquireLock, type LockRecord, readLock, releaseLock } from "@uncaged/json-cas-fs";
import {
  type CasRef,
  err,
  type Fault,
  fault,
  ok,
  type Result,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { attempt, attemptAsync } from "../attempt/index.js";
import { ensureFolder, removeTree } from "../files/index.js";
import { completeEnding, readHeads } from "../heads/index.js";
import { readHistory } from "../history/index.js";
import { threadLockPath } from "../locks/index.js";
import { prepareRoot, type Storage } from "../storage/index.js";
import type { Claim } from "./types.js";

/**
 * Stage 2: takes the thread's lock (`THREAD_BUSY` after `waitMs`; 0 tries once), completes an archive that a crash or a
 * kill left unfinished, and reads the head. An ended or unknown thread gives the lock back. Takes the index lock inside.
 */
export async function claimThread(
  storage: Storage,
  thread: ThreadId,
  { waitMs }: { readonly waitMs: number },
): Promise<Result<Claim, Fault>> {
  const prepared = prepareRoot(storage);
  if (!prepared.ok) return prepared;
  const lock = await attemptAsync(() => {
    ensureFolder(storage.paths.locks);
    return acquireLock(threadLockPath(storage, thread), { waitMs });
  });
  if (!lock.ok) return busy(thread, lock.error);
  const head = await headUnderLock(storage, thread);
  if (head.ok) return ok({ thread, head: head.value, lock: lock.value });
  const released = attempt(() => releaseLock(lock.value));
  return released.ok ? head : released;
}

/** Gives the thread back. */
export function releaseClaim({ lock }: Claim): Result<void, Fault> {
  return attempt(() => releaseLock(lock));
}

/** Who holds the thread, as its lock file says; `null` when nobody does. Throws `CasError`. */
export function readHolder(storage: Storage, thread: ThreadId): LockRecord | null {
  return readLock(threadLockPath(storage, thread));
}

/** Takes the thread's lock file away from whoever holds it: for holders that cannot be judged, on a person's word only. */
export function forceUnlock(storage: Storage, thread: ThreadId): Result<LockRecord | null, Fault> {
  return attempt(() => {
    const holder = readHolder(storage, thread);
    removeTree(threadLockPath(storage, thread));
    return holder;
  });
}

async function headUnderLock(storage: Storage, thread: ThreadId): Promise<Result<CasRef, Fault>> {
  const completed = await completeEnding(storage, thread);
  if (!completed.ok) return completed;
  const history = readHistory(storage);
  if (!history.ok) return history;
  const ended = completed.value ?? history.value.get(thread);
  if (ended !== undefined) return err(fault("THREAD_ENDED", { thread, reason: ended.reason }));
  const heads = await readHeads(storage);
  if (!heads.ok) return heads;
  const head = heads.value.get(thread);
  return head === undefined ? err(fault("THREAD_NOT_FOUND", { thread })) : ok(head);
}

function busy(thread: ThreadId, cause: Fault): Result<never, Fault> {
  return err(cause.code === "LOCK_BUSY" ? fault("THREAD_BUSY", { thread, holder: cause.holder }) : cause);
}
