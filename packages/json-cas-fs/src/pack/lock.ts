import { join } from "node:path";
import { refuseLink } from "../files/index.js";
import { acquireLock, releaseLock, tryLock } from "../lock/index.js";
import { packDir } from "./format.js";

/** How long a process that wants to pack waits for another one that packs. */
const WAIT_MS = 5000;

/**
 * Runs `work` while no other process removes packs, or writes one in place of others. Readers need no lock,
 * nor does a process that writes a pack of new nodes. Throws `LOCK_BUSY`, and `IO_FAILED` where the packs'
 * folder is a link: nothing is written or removed through one.
 */
export async function holdPacks<T>(dir: string, work: () => Promise<T> | T): Promise<T> {
  refuseLink(packDir(dir));
  const lock = await acquireLock(lockFile(dir), { waitMs: WAIT_MS });
  try {
    return await work();
  } finally {
    releaseLock(lock);
  }
}

/** The same if no other process holds the packs at this moment; else does nothing. */
export function holdFreePacks(dir: string, work: () => void): void {
  refuseLink(packDir(dir));
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
