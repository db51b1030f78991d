import {
  acquireLock,
  type FoundLock,
  type LockRecord,
  ownRecord,
  readLock,
  releaseLock,
} from "@uncaged/json-cas-fs";
import {
  type CasRef,
  err,
  type Fault,
  fault,
  isThreadId,
  ok,
  type Result,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { completeEnding } from "../archive.js";
import { attempt, attemptAsync } from "../attempt.js";
import { folderNames } from "../files.js";
import { activeHead, type ThreadLock } from "../heads.js";
import { threadLockPath } from "../locks.js";
import { threadRunsPath } from "../run-dir.js";
import { prepareRoot, type Storage } from "../storage.js";

/** A thread held for a step, and its head at this moment. */
export type Claim = ThreadLock & { readonly head: CasRef };

/**
 * Stage 2: takes the thread's lock (`THREAD_BUSY` after `waitMs`; 0 tries once), completes an archive that a crash
 * or a kill left unfinished, and reads the head. For an ended or unknown thread the lock is released. Takes the
 * index lock inside.
 */
export async function claimThread(
  storage: Storage,
  thread: ThreadId,
  { waitMs }: { readonly waitMs: number },
): Promise<Result<Claim, Fault>> {
  const prepared = prepareRoot(storage);
  if (!prepared.ok) return prepared;
  const lock = await attemptAsync(() => acquireLock(threadLockPath(storage, thread), { waitMs }));
  if (!lock.ok) return busy(thread, lock.error);
  const held = { thread, lock: lock.value };
  const completed = await completeEnding(storage, thread);
  const head = completed.ok ? await activeHead(storage, thread) : completed;
  if (head.ok) return ok({ ...held, head: head.value });
  const released = releaseClaim(held);
  return released.ok ? head : released;
}

/** Gives the thread back. */
export function releaseClaim({ lock }: ThreadLock): Result<void, Fault> {
  return attempt(() => releaseLock(lock));
}

function busy(thread: ThreadId, cause: Fault): Result<never, Fault> {
  return err(cause.code === "LOCK_BUSY" ? fault("THREAD_BUSY", { thread, holder: cause.holder }) : cause);
}

/**
 * Who holds the thread, according to its lock file; `null`: no process does. Throws `CasError` `IO_FAILED`.
 */
export function readHolder(storage: Storage, thread: ThreadId): FoundLock | null {
  return readLock(threadLockPath(storage, thread));
}

/** Whether the thread's lock names this process; one that cannot be read does not. */
export function isHeldByUs(storage: Storage, thread: ThreadId): boolean {
  const holder = attempt(() => readHolder(storage, thread));
  return holder.ok && holder.value !== null && isOurs(holder.value);
}

/**
 * The pid alone does not tell: a process on another host, in another container or of another boot can have the
 * same.
 */
function isOurs(holder: LockRecord): boolean {
  const own = ownRecord(holder.acquiredAt, null);
  return (["pid", "startTime", "bootId", "host", "machineId", "pidNamespace"] as const).every(
    (name) => holder[name] === own[name],
  );
}

/**
 * Threads with more in `runs/` than their permanent files: an active or abandoned run, or an incomplete archive;
 * by id.
 */
export function threadsWithRuns(storage: Storage): Result<readonly ThreadId[], Fault> {
  return attempt(() =>
    folderNames(storage.paths.runs)
      .filter(isThreadId)
      .filter((thread) => hasMore(storage, thread)),
  );
}

/** Threads with only permanent files there, or nothing at all; by id. */
export function threadsWithoutRuns(storage: Storage): Result<readonly ThreadId[], Fault> {
  return attempt(() =>
    folderNames(storage.paths.runs)
      .filter(isThreadId)
      .filter((thread) => folderNames(threadRunsPath(storage, thread)).every(isKept)),
  );
}

/**
 * A folder that cannot be listed counts as having more: the caller then reads it, and reports why it fails.
 */
function hasMore(storage: Storage, thread: ThreadId): boolean {
  const names = attempt(() => folderNames(threadRunsPath(storage, thread)));
  return !names.ok || names.value.length === 0 || names.value.some((name) => !isKept(name));
}

/** A file that exists as long as its thread: not a run, and not left by a crash. */
function isKept(name: string): boolean {
  return /^[a-z]+\.jsonl?$/.test(name);
}
