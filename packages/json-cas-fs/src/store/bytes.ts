import { closeSync, fstatSync, lstatSync, openSync, readSync, type Stats } from "node:fs";
import type { CasError, Hash } from "@uncaged/json-cas";
import { errnoOf, errnoReason, guarded, ioFault, isMissing, READ_PLAIN } from "../files/index.js";
import { LONGEST_NODE } from "../pack/index.js";
import { damaged } from "./damage.js";
import { fsStoreFile, trashFile } from "./folder.js";
import { isFoundInPack, isKnownInPack, isPacked } from "./packed.js";

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

/** The content of a node's own file, unchecked; `null` if there is none. */
export function readNodeBytes(dir: string, hash: Hash): Uint8Array | null {
  return firstOf(namesOfNode(dir, hash), (file) => readFile(hash, file));
}

/**
 * A node that gc has set aside is there all the same until it is removed: gc puts it back when a writer was quicker, and
 * may have been killed before. It is linked to its name before it loses the other one, so three looks miss nothing.
 */
function namesOfNode(dir: string, hash: Hash): readonly string[] {
  const file = fsStoreFile(dir, hash);
  return [file, trashFile(dir, hash), file];
}

function firstOf<T>(files: readonly string[], look: (file: string) => T | null): T | null {
  for (const file of files) {
    const found = look(file);
    if (found !== null) return found;
  }
  return null;
}

/** Room for a node as most of them are; its bytes are looked at before the next one is read. */
const room = Buffer.allocUnsafeSlow(64 * 1024);

/**
 * The content of a small file, valid until the next call; `null` for anything else: missing, empty, large, not a
 * regular file or not readable. It takes three system calls where a careful reader needs five; a history is
 * thousands of files.
 */
export function readAtOnce(file: string): Uint8Array | null {
  let fd = -1;
  try {
    fd = openSync(file, READ_PLAIN);
    const length = readSync(fd, room, 0, room.length, 0);
    return length > 0 && length < room.length ? room.subarray(0, length) : null;
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    return null;
  } finally {
    if (fd !== -1) closeSync(fd);
  }
}

/** The content of a file that should hold that node; `null` if there is none. */
export function readFile(hash: Hash, file: string): Uint8Array | null {
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

/** Whether there is a regular file under the node's name, or a pack has it; anything else there is damage. */
export function nodeExists(dir: string, hash: Hash): boolean {
  const stat = firstOf(namesOfNode(dir, hash), inspectBytes);
  if (stat !== null && !stat.isFile())
    throw damaged(hash, fsStoreFile(dir, hash), "it is not a regular file");
  return stat !== null || isPacked(dir, hash);
}

/** Whether the node has anything under its name, or a place in a pack: damage is reported when it is read, not in a list. */
export function hasName(dir: string, hash: Hash): boolean {
  return firstOf(namesOfNode(dir, hash), inspectBytes) !== null || isFoundInPack(dir, hash);
}

/** Whether nothing exists under the node's name, by a reader's three lookups, and no pack has it, as a new node requires. */
export function lacksNode(dir: string, hash: Hash): boolean {
  return namesOfNode(dir, hash).every(isMissing) && !isFoundInPack(dir, hash);
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
