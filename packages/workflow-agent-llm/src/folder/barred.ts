import { fstatSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

/** What is thrown in the place of a system's error. */
export const OF_STORAGE_ROOT = "UWF_STORAGE_ROOT";

/**
 * uwf's storage root holds keys, names the commands that run next, and keeps the history: nothing for a model. It is
 * known by device and inode, of the folder and of what stands directly in it, so that a link, a hard link, a mount or
 * another spelling leads to nothing else.
 */
export type Barred = ReadonlySet<string>;

export function barredIn(storageRoot: string): Barred {
  const root = identityAt(storageRoot);
  if (root === null) return new Set();
  const inside = readdirSync(storageRoot).flatMap((name) => identityAt(join(storageRoot, name)) ?? []);
  return new Set([root, ...inside]);
}

/** Throws when what is open is the storage root, or stands in it. */
export function refuseBarred(fd: number, barred: Barred): void {
  const { dev, ino } = fstatSync(fd);
  if (barred.has(`${dev}:${ino}`)) throw ofStorageRoot();
}

/** The same for a folder and those above it: the working folder may itself lie in the storage root. */
export function refuseWithin(folder: string, barred: Barred): void {
  for (let at = folder; ; at = dirname(at)) {
    const identity = identityAt(at);
    if (identity !== null && barred.has(identity)) throw ofStorageRoot();
    if (at === dirname(at)) return;
  }
}

function ofStorageRoot(): Error {
  return Object.assign(new Error("it belongs to uwf's storage root"), { code: OF_STORAGE_ROOT });
}

function identityAt(path: string): string | null {
  try {
    const { dev, ino } = statSync(path);
    return `${dev}:${ino}`;
  } catch {
    return null;
  }
}
