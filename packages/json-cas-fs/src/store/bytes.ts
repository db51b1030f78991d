import { closeSync, fstatSync, lstatSync, openSync, readSync, type Stats } from "node:fs";
import type { CasError, Hash } from "@uncaged/json-cas";
import { errnoOf, errnoReason, guarded, ioFault, isMissing, READ_PLAIN } from "../files/index.js";
import { LONGEST_NODE } from "../pack/index.js";
import { fsStoreFile, trashFile } from "./folder.js";
import { damaged, findPacked, isKnownInPack, readPacked, refuseBrokenPacks } from "./packed.js";

/** Bytes of one node, timestamp and type included. Checked before anything is read into memory. */
export const NODE_LIMIT = LONGEST_NODE;

/** Errors that concern the process or folder and not this file. */
const NOT_THIS_FILE: ReadonlySet<string> = new Set([
  "EMFILE",
  "ENFILE",
  "ENOMEM",
  "ENOTDIR",
  "ENAMETOOLONG",
  "ESTALE",
]);

/** A node's bytes, unchecked, and the file that has them; `null` if there are none. */
export type NodeBytes = { readonly bytes: Uint8Array; readonly file: string };

/**
 * A node that gc has set aside is there all the same until it is removed: gc puts it back when a writer was quicker, and
 * may have been killed before. It is linked to its name before it loses the other one, so three looks miss nothing. One that
 * is packed meanwhile is in its pack before it loses its file.
 */
export function readNodeBytes(dir: string, hash: Hash): NodeBytes | null {
  const file = fsStoreFile(dir, hash);
  const own = (name: string): NodeBytes | null => {
    const bytes = readFile(hash, name);
    return bytes === null ? null : { bytes, file: name };
  };
  const found = own(file) ?? readPacked(dir, hash) ?? own(trashFile(dir, hash)) ?? own(file);
  if (found === null) refuseBrokenPacks(dir);
  return found;
}

/** The content of a file that should hold that node; `null` if there is none. */
export function readFile(hash: Hash, file: string): Uint8Array | null {
  // An exception for each packed node, of a file that cannot be opened, would take longer than to read it.
  if (isMissing(file)) return null;
  let fd: number;
  try {
    fd = openSync(file, READ_PLAIN);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return null;
    throw unreadable(hash, file, error);
  }
  try {
    return readRegular(fd, hash, file);
  } catch (error) {
    throw unreadable(hash, file, error);
  } finally {
    closeSync(fd);
  }
}

/** What is there of a node, by a reader's looks; damage is reported when it is read. `null` if no sound pack has it either. */
function lookUp(dir: string, hash: Hash): "file" | "no file" | "pack" | null {
  const file = fsStoreFile(dir, hash);
  const stat = inspectBytes(file) ?? inspectBytes(trashFile(dir, hash)) ?? inspectBytes(file);
  if (stat !== null) return stat.isFile() ? "file" : "no file";
  return findPacked(dir, hash) === null ? null : "pack";
}

/** Whether there is a regular file under the node's name, or a pack has it; anything else there is damage. */
export function nodeExists(dir: string, hash: Hash): boolean {
  const found = lookUp(dir, hash);
  if (found === "no file") throw damaged(hash, fsStoreFile(dir, hash), "it is not a regular file");
  if (found === null) refuseBrokenPacks(dir);
  return found !== null;
}

/** Whether there is nothing of a node, as a new one requires. */
export function lacksNode(dir: string, hash: Hash): boolean {
  return lookUp(dir, hash) === null;
}

/**
 * The same for one of many nodes that are put together: with one look, for one that gc sets aside may as well be written
 * again, and without packs that came since the first of them: a second copy does no harm.
 */
export function probablyLacksNode(dir: string, hash: Hash): boolean {
  return isMissing(fsStoreFile(dir, hash)) && !isKnownInPack(dir, hash);
}

/** What exists under a name, without following a link; `null` for nothing. */
export function inspectBytes(file: string): Stats | null {
  return guarded("look at", file, () => lstatSync(file, { throwIfNoEntry: false })) ?? null;
}

function readRegular(fd: number, hash: Hash, file: string): Uint8Array {
  const stat = fstatSync(fd);
  if (!stat.isFile()) throw damaged(hash, file, "it is not a regular file");
  if (stat.size > NODE_LIMIT)
    throw damaged(hash, file, `it has ${stat.size} bytes, the limit is ${NODE_LIMIT}`);
  const bytes = new Uint8Array(stat.size);
  let length = 0;
  while (length < bytes.length) {
    const read = readSync(fd, bytes, length, bytes.length - length, length);
    if (read === 0) break;
    length += read;
  }
  return bytes.subarray(0, length);
}

function unreadable(hash: Hash, file: string, error: unknown): CasError {
  if (errnoOf(error) === "ELOOP") return damaged(hash, file, "it is not a regular file");
  const fault = ioFault("read", file, error);
  if (fault.fault.code !== "IO_FAILED") return fault;
  if (NOT_THIS_FILE.has(fault.fault.errno) || !isVisible(file)) return fault;
  return damaged(hash, file, `it cannot be read: ${errnoReason(error)}`);
}

/** A file that cannot even be looked at says nothing about the file: the folder is closed to us. */
function isVisible(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
