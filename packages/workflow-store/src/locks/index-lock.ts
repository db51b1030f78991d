import { acquireLock, releaseLock } from "@uncaged/json-cas-fs";
import type { Fault, Result } from "@uncaged/workflow-protocol";
import { attemptAsync } from "../attempt/index.js";
import { prepareRoot, type Storage } from "../storage/index.js";
import { indexLockPath } from "./paths.js";

/** The index lock is held for one read-modify-write: who waits longer than this waits for something broken. */
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
