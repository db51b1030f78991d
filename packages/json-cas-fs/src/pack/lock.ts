import { join } from "node:path";
import { acquireLock, releaseLock, tryLock } from "../lock/index.js";

/** How long one that packs waits for another. */
const WAIT_MS = 5000;

/**
 * Runs `work` while no other process removes packs, or writes one in place of others. Readers do not care, nor does who
 * writes a pack of new nodes. Throws `LOCK_BUSY`.
 */
export async function holdPacks<T>(dir: string, work: () => Promise<T> | T): Promise<T> {
  const lock = await acquireLock(lockFile(dir), { waitMs: WAIT_MS });
  try {
    return await work();
  } finally {
    releaseLock(lock);
  }
}

/** The same if nobody holds them at this moment; else nothing is done. */
export function holdFreePacks(dir: string, work: () => void): void {
  const lock = tryLock(lockFile(dir));
  if (lock.kind === "busy") return;
  try {
    work();
  } finally {
    releaseLock(lock);
  }
}

function lockFile(dir: string): string {
  return join(dir, "_pack.lock");
}
