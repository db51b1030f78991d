import { renameSync, type Stats, unlinkSync } from "node:fs";
import type { Hash } from "@uncaged/json-cas";
import { errnoOf, fsyncDir, guarded, linkNew } from "../files/index.js";
import { fsStoreFile, scanFolder, trashFile } from "./folder.js";
import { damageOfFile, inspectBytes } from "./read.js";
import type { Hold } from "./types.js";
import { renameFolder } from "./write.js";

// How a node is removed, so that a process that puts it at the same moment never loses it:
//
//   1 look at its time        fresh: another process relies on it, it stays
//   2 rename to <HASH>.aside  from here on a writer who refreshes the time finds no file and writes the node again
//   3 look at its time again  fresh: a writer came between 1 and 2, it goes back to its name
//   4 unlink                  and look whether its name is back: then it has not gone
//
// Readers look under both names, so a node is there until 4, also when gc is killed at 3. What a dead gc leaves behind
// the next one puts back, and so does `verify --repair`.

/**
 * Takes a node away unless its file was touched at `cutoff` (epoch ms) or later, or is not a regular file. Gives the bytes
 * that went; `null` when it stays, or another process was quicker.
 */
export function moveToTrash(dir: string, hash: Hash, cutoff: number): number | null {
  const file = fsStoreFile(dir, hash);
  const trash = trashFile(dir, hash);
  return guarded("remove", file, () => {
    const stat = inspectBytes(file);
    // The store puts neither a link nor a folder under a node's name: it is not ours to remove.
    if (stat === null || !stat.isFile() || isFresh(stat, cutoff)) return null;
    if (!ifThere(() => renameSync(file, trash))) return null;
    const moved = inspectBytes(trash);
    if (moved !== null && isFresh(moved, cutoff)) {
      putBack(trash, file);
      return null;
    }
    if (!ifThere(() => unlinkSync(trash))) return null;
    // Put back, or written again, since it was moved: then it has not gone.
    return inspectBytes(file) === null ? stat.size : null;
  });
}

/**
 * Restores every node that is set aside to its name; returns how many there were. `hold` excludes a running gc,
 * whose nodes must stay aside. It is taken only if there is something to restore.
 */
export async function restoreTrash(dir: string, hold: Hold): Promise<number> {
  const found: Hash[] = [];
  for (const entry of scanFolder(dir)) if (entry.kind === "trash") found.push(entry.hash);
  if (found.length === 0) return 0;
  return hold(async () => {
    const restored = found.filter((hash) => restoreAside(dir, hash)).length;
    if (restored > 0) fsyncDir(dir);
    return restored;
  });
}

/** Beside a damaged node it takes its place when it is sound itself, and is left alone otherwise (`trashDamage`). */
function restoreAside(dir: string, hash: Hash): boolean {
  const file = fsStoreFile(dir, hash);
  const trash = trashFile(dir, hash);
  if (inspectBytes(file) === null || isSound(hash, file))
    return guarded("restore", file, () => putBack(trash, file));
  if (!isSound(hash, trash)) return false;
  renameFolder(file);
  return guarded("restore", file, () => ifThere(() => renameSync(trash, file)));
}

/**
 * What is wrong with a node that is set aside, if there is no good one under its name either; `null` if nothing
 * is.
 */
export function trashDamage(dir: string, hash: Hash): string | null {
  const file = fsStoreFile(dir, hash);
  if (inspectBytes(file) !== null && isSound(hash, file)) return null;
  return damageOfFile(hash, trashFile(dir, hash));
}

function isSound(hash: Hash, file: string): boolean {
  return damageOfFile(hash, file) === null;
}

/** Linked first, unlinked then: at every moment it has a name. Somebody else may do the same. */
function putBack(trash: string, file: string): boolean {
  return ifThere(() => linkNew(trash, file)) && ifThere(() => unlinkSync(trash));
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
