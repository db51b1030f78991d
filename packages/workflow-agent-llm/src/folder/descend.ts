import { closeSync, constants, existsSync, mkdirSync, openSync } from "node:fs";
import { join, sep } from "node:path";
import { type Barred, refuseBarred, refuseWithin } from "./barred.js";
import type { Place } from "./types.js";

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/** On Linux an open folder can be walked on from, whatever has become of its path meanwhile. */
const BY_DESCRIPTOR = existsSync("/proc/self/fd");

/**
 * Opens a place from the working folder downwards, one name after the other and through no link: between the look at
 * the real path and this a name may have become one. Nothing of uwf's storage root is opened. `make` makes missing
 * folders. Throws what the system says, or `OF_STORAGE_ROOT`.
 */
export function openPlace({ root, path, barred }: Place, flags: number, make: boolean): number {
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
    return openAllowed(join(pathOf(at), last ?? "."), how, barred);
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
  const path = join(pathOf(at), name);
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

/** A path that leads to what is open, whatever has become of its name. */
export function pathOf({ fd, path }: At): string {
  return BY_DESCRIPTOR ? `/proc/self/fd/${fd}` : path;
}
