import { statSync } from "node:fs";
import { errnoOf } from "../files/index.js";
import { bootId } from "./machine.js";
import type { FolderIdentity, Made } from "./types.js";

/** A folder as records name it; `null` where there is none that can be looked at. */
export function identifyFolder(folder: string): FolderIdentity | null {
  try {
    const { dev, ino } = statSync(folder, { bigint: true });
    return { folder, device: String(dev), inode: String(ino) };
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    return null;
  }
}

/**
 * Whether a record was made in another folder than this one: it came with a copy (`cp -a`, a snapshot, a restored cache),
 * or with a move to another file system. A folder that is renamed keeps its inode and its device.
 */
export function isCopied(made: Made, folder: string): boolean {
  return made.place !== null && !isAt(made, folder, true);
}

/** Whether the folder that a copied record was made in is still there, beside its copy. */
export function isOriginalThere(made: Made): boolean {
  return made.place !== null && isAt(made, made.place.folder, false);
}

/** Device numbers are those of one boot of one machine; another one has only the inode to compare. */
function isAt({ place, bootId: boot }: Made, folder: string, otherwise: boolean): boolean {
  const here = identifyFolder(folder);
  if (place === null || here === null) return otherwise;
  return here.inode === place.inode && (boot !== bootId() || here.device === place.device);
}

/** Anything else is `null`, as in records of a system that has no such identity. */
export function asPlace(value: unknown): FolderIdentity | null {
  if (typeof value !== "object" || value === null) return null;
  const { folder, device, inode } = value as Partial<Record<keyof FolderIdentity, unknown>>;
  const isKnown = typeof folder === "string" && typeof device === "string" && typeof inode === "string";
  return isKnown ? { folder, device, inode } : null;
}
