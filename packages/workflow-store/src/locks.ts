import { join } from "node:path";
import {
  acquireLock,
  explainHolder,
  type FoundLock,
  type LockRecord,
  readLock,
  releaseLock,
  tryLock,
  type Verdict,
} from "@uncaged/json-cas-fs";
import { err, type Fault, fault, type Result, THREAD_ID, type ThreadId } from "@uncaged/workflow-protocol";
import { attempt, attemptAsync } from "./attempt.js";
import { folderNames, removeTree } from "./files.js";
import { prepareRoot, type Storage } from "./storage.js";

export function indexLockPath(storage: Storage): string {
  return `${storage.paths.locks}/index.lock`;
}

export function threadLockPath(storage: Pick<Storage, "paths">, thread: ThreadId): string {
  return `${storage.paths.locks}/thread-${thread}.lock`;
}

function workerLockPath(storage: Storage): string {
  return `${storage.paths.locks}/worker.lock`;
}

/** Runs `work` as the only worker of this root, `WORKER_BUSY` while there is another one. */
export async function asOnlyWorker<T>(
  storage: Storage,
  work: () => Promise<Result<T, Fault>>,
): Promise<Result<T, Fault>> {
  const prepared = prepareRoot(storage);
  if (!prepared.ok) return prepared;
  const lock = await attemptAsync(() => acquireLock(workerLockPath(storage), { waitMs: 0 }));
  if (!lock.ok) {
    const { error } = lock;
    if (error.code !== "LOCK_BUSY") return lock;
    return err(fault("WORKER_BUSY", { root: storage.root, holder: error.holder }));
  }
  try {
    return await work();
  } finally {
    attempt(() => releaseLock(lock.value));
  }
}

/** The index lock is held for one read-modify-write: waiting longer than this means that something is broken. */
export const INDEX_WAIT_MS = 10_000;

/**
 * Runs `work` while no other process changes threads.yaml, history.jsonl, registry.yaml or an `ending`.
 * Order of locks: a thread's lock first, then this one; never the other way round.
 */
export async function withIndexLock<T>(
  storage: Storage,
  work: () => Promise<Result<T, Fault>>,
  waitMs = INDEX_WAIT_MS,
): Promise<Result<T, Fault>> {
  const prepared = prepareRoot(storage);
  if (!prepared.ok) return prepared;
  const outcome = await attemptAsync(async () => {
    const lock = await acquireLock(indexLockPath(storage), { waitMs });
    try {
      return await work();
    } finally {
      releaseLock(lock);
    }
  });
  return outcome.ok ? outcome.value : outcome;
}

/** A file of `locks/`. `litter` is what killed processes left: partial records, and locks of breakers. */
export type LockFile = {
  readonly file: string;
  readonly holder: FoundLock & Verdict;
} & (
  | { readonly kind: "thread"; readonly thread: ThreadId }
  | { readonly kind: "index" }
  | { readonly kind: "worker" }
  | { readonly kind: "litter" }
);

/** Every lock and its holder, by name. A file that vanishes in the meantime is left out. */
export function listLocks(storage: Storage): Result<readonly LockFile[], Fault> {
  return attempt(() => folderNames(storage.paths.locks).flatMap((name) => lockFile(storage, name) ?? []));
}

const THREAD_LOCK = new RegExp(`^thread-(${THREAD_ID})\\.lock$`);

function lockFile(storage: Storage, name: string): LockFile | null {
  const file = join(storage.paths.locks, name);
  const record = readLock(file);
  if (record === null) return null;
  const holder = { ...record, ...explainHolder(record) };
  const thread = THREAD_LOCK.exec(name)?.[1] as ThreadId | undefined;
  if (thread !== undefined) return { kind: "thread", thread, file, holder };
  if (name === "index.lock") return { kind: "index", file, holder };
  return { kind: name === "worker.lock" ? "worker" : "litter", file, holder };
}

/** Who held a lock, whether it is alive, and whether the lock is free now. */
export type Unlocked = {
  readonly released: boolean;
  /** `null`: the lock was free. */
  readonly holder: (FoundLock & Verdict) | null;
};

/**
 * Releases a thread's lock (`null`: that of threads.yaml, history.jsonl and registry.yaml) if its holder is provably dead;
 * with `force` any holder's, on a person's word. A lock that is still held afterwards is not a fault.
 */
export function unlock(storage: Storage, thread: ThreadId | null, force: boolean): Result<Unlocked, Fault> {
  const path = thread === null ? indexLockPath(storage) : threadLockPath(storage, thread);
  return attempt(() => {
    const record = readLock(path);
    if (record === null) return { released: false, holder: null };
    const holder = { ...record, ...explainHolder(record) };
    if (holder.judgement === "dead") return releaseDead(path, holder);
    return { released: force && removeRecord(path, record), holder };
  });
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
