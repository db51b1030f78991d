import { lstatSync, renameSync, type Stats, unlinkSync, utimesSync } from "node:fs";
import {
  CasError,
  type CasNode,
  encode,
  encodeAround,
  type Hash,
  type JsonValue,
  putNode,
} from "@uncaged/json-cas";
import {
  AT_ONCE,
  createFileExclusive,
  errnoOf,
  fsyncDir,
  guarded,
  ioFault,
  linkNew,
  replaceFile,
  type Syncs,
  temporaryPath,
} from "../files/index.js";
import { type FormatGuard, fsStoreFile, trashedNodes, trashFile } from "./folder.js";
import type { Hold } from "./fs-store.js";
import { announce } from "./index-lines.js";
import { damageOfFile, findPacked, inspectBytes, NODE_LIMIT } from "./read.js";

// Order of a write: the index line and its fsync, a temporary file and its fsync, link without clobbering, fsync of the
// folder. A crash leaves an index line that leads nowhere or a temporary file, both of which readers pass over; never a
// node that is cut short, and never one that its index does not name. Several nodes that are written together take each
// of these together (`fs-store.ts`).

/** Where nodes are written, and when they become durable. */
export type NodeFolder = { readonly dir: string; readonly format: FormatGuard; readonly syncs: Syncs };

/** Writes a new node durably; `false` when another writer was faster. */
export function createNode(place: NodeFolder, hash: Hash, node: CasNode, payloadBytes: Uint8Array): boolean {
  const file = fsStoreFile(place.dir, hash);
  const bytes = encodeWithin(node, payloadBytes);
  return writeIndexed(place, hash, node.type, () => createFileExclusive(file, bytes, place.syncs));
}

/** Writes a node over a damaged one. */
export function replaceNode(place: NodeFolder, hash: Hash, node: CasNode): void {
  const file = fsStoreFile(place.dir, hash);
  const bytes = encodeWithin(node, encode(node.payload));
  // It has its name at once: the line may not wait for others.
  writeIndexed({ ...place, syncs: AT_ONCE }, hash, node.type, () => {
    renameFolder(file);
    replaceFile(file, bytes, null);
  });
}

/**
 * Makes an existing node as good as a newly written one: its writer may not have synced the folder yet, and gc
 * goes by the file's time. `now` returns epoch ms.
 */
export function confirmNode(place: NodeFolder, now: () => number, hash: Hash, node: CasNode): void {
  const found = refreshNode(place, now, hash);
  if (found === "packed") createNode({ ...place, syncs: AT_ONCE }, hash, node, encode(node.payload));
  if (found === "gone") replaceNode(place, hash, node);
}

/**
 * Sets the time of a node's own file to `now` (epoch ms). `packed`: it has none, and must be written again, for in its pack
 * it has no time of its own; with a second line in the index too, for gc may have taken both away since it was found.
 * `gone`: collected in the meantime, or another user's file whose time cannot be set, in whose place we write our own.
 */
export function refreshNode(
  { dir, syncs }: NodeFolder,
  now: () => number,
  hash: Hash,
): "done" | "packed" | "gone" {
  const file = fsStoreFile(dir, hash);
  const seconds = now() / 1000;
  try {
    utimesSync(file, seconds, seconds);
    syncs.folder(dir);
    return "done";
  } catch (error) {
    const errno = errnoOf(error);
    if (errno !== "ENOENT" && errno !== "EPERM") throw ioFault("refresh", file, error);
    return errno === "ENOENT" && findPacked(dir, hash) !== null ? "packed" : "gone";
  }
}

/** What comes before a node's file: its line in the index. */
function writeIndexed<T>({ dir, format, syncs }: NodeFolder, hash: Hash, type: Hash, write: () => T): T {
  format.ensure();
  const line = announce(dir, [[hash, type]], syncs);
  try {
    const written = write();
    line.confirm();
    return written;
  } finally {
    line.close();
  }
}

/** Throws `NOT_STORABLE` for more bytes than a node may have. */
export function encodeWithin(node: CasNode, payloadBytes: Uint8Array): Uint8Array {
  const bytes = encodeAround(node, payloadBytes);
  if (bytes.length > NODE_LIMIT) throw tooLarge(bytes.length);
  return bytes;
}

/** rename(2) replaces anything but a folder, which is not a node but must not be deleted either. */
export function renameFolder(file: string): void {
  guarded("replace", file, () => {
    const isFolder = lstatSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false;
    if (isFolder) renameSync(file, temporaryPath(file));
  });
}

function tooLarge(size: number): CasError {
  const reason = `as a node it has ${size} bytes, the limit is ${NODE_LIMIT}`;
  return new CasError({ code: "NOT_STORABLE", path: "", reason });
}

type WriteTarget = {
  readonly place: NodeFolder;
  readonly get: (hash: Hash) => CasNode | null;
  readonly lacks: (hash: Hash) => boolean;
  /** Epoch ms. */
  readonly now: () => number;
};

/** `put` of the store in a folder: everything is checked before the first byte is written. */
export function putInto({ place, get, lacks, now }: WriteTarget, type: Hash, payload: JsonValue): Hash {
  const backend = {
    get,
    lacks,
    create: createNode.bind(null, place),
    replace: replaceNode.bind(null, place),
    confirm: confirmNode.bind(null, place, now),
    now,
  };
  return putNode(backend, type, payload);
}

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
  const found = trashedNodes(dir);
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
