import { acquireLock, releaseLock } from "@uncaged/json-cas-fs";
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
import { completeEnding, readHead, type ThreadLock } from "../heads/index.js";
import { readHistoryOf } from "../history/index.js";
import { threadLockPath } from "../locks/index.js";
import { prepareRoot, type Storage } from "../storage/index.js";
import { notFound } from "./not-found.js";
import type { Claim } from "./types.js";

type Patience = { readonly waitMs: number };

/**
 * Stage 2: takes the thread's lock (`THREAD_BUSY` after `waitMs`; 0 tries once), completes an archive that a crash or a
 * kill left unfinished, and reads the head. An ended or unknown thread gives the lock back. Takes the index lock inside.
 */
export async function claimThread(
  storage: Storage,
  thread: ThreadId,
  patience: Patience,
): Promise<Result<Claim, Fault>> {
  const held = await claimForArchive(storage, thread, patience);
  if (!held.ok) return held;
  const head = await headUnderLock(storage, thread);
  if (head.ok) return ok({ ...held.value, head: head.value });
  const released = releaseClaim(held.value);
  return released.ok ? head : released;
}

/** Takes the thread's lock and nothing else: for a kill, which has to end what still runs before it archives. */
export async function claimForArchive(
  storage: Storage,
  thread: ThreadId,
  { waitMs }: Patience,
): Promise<Result<ThreadLock, Fault>> {
  const prepared = prepareRoot(storage);
  if (!prepared.ok) return prepared;
  const lock = await attemptAsync(() => acquireLock(threadLockPath(storage, thread), { waitMs }));
  return lock.ok ? ok({ thread, lock: lock.value }) : busy(thread, lock.error);
}

/** Gives the thread back. */
export function releaseClaim({ lock }: ThreadLock): Result<void, Fault> {
  return attempt(() => releaseLock(lock));
}

async function headUnderLock(storage: Storage, thread: ThreadId): Promise<Result<CasRef, Fault>> {
  const completed = await completeEnding(storage, thread);
  if (!completed.ok) return completed;
  const recorded = completed.value === null ? readHistoryOf(storage, thread) : completed;
  if (!recorded.ok) return recorded;
  const ended = recorded.value;
  if (ended !== null) return err(fault("THREAD_ENDED", { thread, reason: ended.reason }));
  const head = await readHead(storage, thread);
  if (!head.ok) return head;
  return head.value === null ? notFound(storage, thread) : ok(head.value);
}

function busy(thread: ThreadId, cause: Fault): Result<never, Fault> {
  return err(cause.code === "LOCK_BUSY" ? fault("THREAD_BUSY", { thread, holder: cause.holder }) : cause);
}
