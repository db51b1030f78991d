import { renameSync, type Stats, unlinkSync } from "node:fs";
import { CasError, type Hash } from "@uncaged/json-cas";
import { errnoOf, fsyncDir, guarded, linkNew } from "../files/index.js";
import { lookAt } from "./bytes.js";
import { scanFolder } from "./folder.js";
import { asideFile, fsStoreFile } from "./layout.js";
import { readNode } from "./read.js";

// How a node goes, so that whoever puts it at the same moment never loses it:
//
//   1 look at its time        fresh: somebody relies on it, it stays
//   2 rename to <HASH>.aside  from here on a writer who refreshes the time finds no file and writes the node again
//   3 look at its time again  fresh: a writer came between 1 and 2, it goes back to its name
//   4 unlink
//
// Readers look under both names, so a node is there until 4, also when gc is killed at 3. What a dead gc leaves behind
// the next one puts back, and so does `verify --repair`.

/**
 * Takes a node away unless its file was touched at `cutoff` (epoch ms) or later, or is no regular file. Gives the bytes
 * that went; `null` when it stays, or another process was quicker.
 */
export function setAside(dir: string, hash: Hash, cutoff: number): number | null {
  const file = fsStoreFile(dir, hash);
  const aside = asideFile(dir, hash);
  return guarded("remove", file, () => {
    const stat = lookAt(file);
    // A link or a folder under a node's name is somebody else's.
    if (stat === null || !stat.isFile() || isFresh(stat, cutoff)) return null;
    if (!ifThere(() => renameSync(file, aside))) return null;
    const moved = lookAt(aside);
    if (moved !== null && isFresh(moved, cutoff)) {
      putBack(aside, file);
      return null;
    }
    return ifThere(() => unlinkSync(aside)) ? stat.size : null;
  });
}

/** Puts every node that is set aside back to its name; gives how many there were. */
export function restoreAsides(dir: string): number {
  let restored = 0;
  for (const entry of scanFolder(dir)) {
    if (entry.kind === "aside" && restoreAside(dir, entry.hash)) restored += 1;
  }
  if (restored > 0) fsyncDir(dir);
  return restored;
}

/** A copy beside a damaged node may be the only good one: it is left alone. */
function restoreAside(dir: string, hash: Hash): boolean {
  const file = fsStoreFile(dir, hash);
  if (lookAt(file) !== null && !isSound(dir, hash)) return false;
  return guarded("restore", file, () => putBack(asideFile(dir, hash), file));
}

function isSound(dir: string, hash: Hash): boolean {
  try {
    return readNode(dir, hash) !== null;
  } catch (error) {
    if (error instanceof CasError && error.fault.code === "NODE_DAMAGED") return false;
    throw error;
  }
}

/** Linked first, unlinked then: at every moment it has a name. Somebody else may do the same. */
function putBack(aside: string, file: string): boolean {
  return ifThere(() => linkNew(aside, file)) && ifThere(() => unlinkSync(aside));
}

function isFresh(stat: Stats, cutoff: number): boolean {
  return stat.mtimeMs >= cutoff;
}

/** `false` when another process was quicker. */
function ifThere(act: () => unknown): boolean {
  try {
    act();
    return true;
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return false;
    throw error;
  }
}
