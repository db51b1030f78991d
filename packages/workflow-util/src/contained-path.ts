import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
} from "node:fs";
import { dirname, join, sep } from "node:path";

/** The code of an error that we throw like a system error. */
export const OF_STORAGE_ROOT = "UWF_STORAGE_ROOT";

/**
 * uwf's storage root contains keys, the next commands to run, and the history; a model must not touch it. It is
 * recognised by device and inode, of the folder and of its direct entries, so that links, hard links, mounts and other
 * spellings are found too.
 */
type Barred = ReadonlySet<string>;

export function barredIn(storageRoot: string): Barred {
  const root = identityAt(storageRoot);
  if (root === null) return new Set();
  const inside = readdirSync(storageRoot).flatMap((name) => identityAt(join(storageRoot, name)) ?? []);
  return new Set([root, ...inside]);
}

/** Throws if the open file is the storage root or directly in it. */
function refuseBarred(fd: number, barred: Barred): void {
  const { dev, ino } = fstatSync(fd);
  if (barred.has(`${dev}:${ino}`)) throw ofStorageRoot();
}

/** The same for a folder and its parents: the working folder itself may be in the storage root. */
function refuseWithin(folder: string, barred: Barred): void {
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

/** A file or folder below the working folder, by its real path. */
export type ContainedPath = {
  /** The working folder's real path. */
  readonly root: string;
  /** Relative to it, without links, "." or ".."; "" is the folder itself. */
  readonly path: string;
  readonly barred: Barred;
};

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/** On Linux a path can continue from an open folder, even if the folder was moved meanwhile. */
const OPEN_FILES = "/proc/self/fd";

/**
 * Opens a place from the working folder down, name by name, without following links: since the real path was resolved, a
 * name may have become a link. Refuses uwf's storage root. `make` creates missing folders. Throws system errors, or
 * `OF_STORAGE_ROOT`.
 */
export function openContained({ root, path, barred }: ContainedPath, flags: number, make: boolean): number {
  refuseWithin(root, barred);
  const names = path.split(sep).filter((name) => name !== "");
  const last = names.pop();
  let at = { fd: openSync(root, O_RDONLY | O_DIRECTORY), path: root };
  try {
    for (const name of names) {
      const next = step(at, name, make);
      closeSync(at.fd);
      at = next;
      refuseBarred(at.fd, barred);
    }
    const how = flags | O_NONBLOCK | (last === undefined ? 0 : O_NOFOLLOW);
    return openAllowed(join(pathOfOpen(at), last ?? "."), how, barred);
  } finally {
    closeSync(at.fd);
  }
}

function openAllowed(path: string, flags: number, barred: Barred): number {
  const fd = openSync(path, flags, 0o666);
  try {
    refuseBarred(fd, barred);
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

type At = { readonly fd: number; readonly path: string };

function step(at: At, name: string, make: boolean): At {
  const path = join(pathOfOpen(at), name);
  if (make) makeFolder(path);
  return { fd: openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), path: join(at.path, name) };
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}

/** A path to the open file, even if it was renamed. */
export function pathOfOpen({ fd, path }: At): string {
  return existsSync(OPEN_FILES) ? `${OPEN_FILES}/${fd}` : path;
}
