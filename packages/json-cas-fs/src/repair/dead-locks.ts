import { join } from "node:path";
import { isTemporaryName } from "../files/index.js";
import { judgeHolder, readLock, releaseLock, tryLock } from "../lock/index.js";
import { lookAt, namesOf } from "../store/index.js";

/**
 * Breaks the records of dead holders in a folder of locks, also those of who died while they broke one; gives how many
 * went. Never by a plain unlink: each is taken, as by anybody who wants it, and given back at once.
 */
export function sweepDeadLocks(folder: string): number {
  const dead = namesOf(folder).flatMap((name) => deadRecord(join(folder, name), name) ?? []);
  for (const { file } of dead) {
    const taken = tryLock(file);
    if (taken.kind === "lock") releaseLock(taken);
  }
  return dead.filter(({ file, nonce }) => readLock(file)?.nonce !== nonce).length;
}

function deadRecord(file: string, name: string): { readonly file: string; readonly nonce: string } | null {
  // Temporary files have a sweep of their own; a link or a folder is nobody's lock.
  if (isTemporaryName(name) || lookAt(file)?.isFile() !== true) return null;
  const record = readLock(file);
  return record !== null && judgeHolder(record) === "dead" ? { file, nonce: record.nonce } : null;
}
