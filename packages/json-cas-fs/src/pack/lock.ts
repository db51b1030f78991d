import { join } from "node:path";
import { acquireLock, releaseLock } from "../lock/index.js";

/** How long one that packs waits for another. */
const WAIT_MS = 5000;

/**
 * Runs `work` while no other process writes or removes packs: one that removes a pack must not meet one that just wrote
 * the same nodes under the same name. Readers do not care. Throws `LOCK_BUSY`.
 */
export async function holdPacks<T>(dir: string, work: () => Promise<T> | T): Promise<T> {
  const lock = await acquireLock(join(dir, "_pack.lock"), { waitMs: WAIT_MS });
  try {
    return await work();
  } finally {
    releaseLock(lock);
  }
}
