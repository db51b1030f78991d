import { lstatSync, renameSync, utimesSync } from "node:fs";
import { CasError, type CasNode, encodeNode, type Hash } from "@uncaged/json-cas";
import {
  createFileExclusive,
  errnoOf,
  fsyncDir,
  guarded,
  ioFault,
  makeDir,
  replaceFile,
  temporaryPath,
} from "../files/index.js";
import { NODE_LIMIT } from "./bytes.js";
import type { FormatGuard } from "./format.js";
import { announce } from "./index-lines.js";
import { fsStoreFile, indexDir } from "./layout.js";

// Order of a write: the index line, a temporary file, fsync, link without clobbering, fsync of the folder. A crash
// leaves an index line that leads nowhere or a temporary file, both of which readers pass over; never a node that is
// cut short, and never one that its index does not name.

/** Writes a new node durably; `false` when another writer was faster. */
export function createNode(dir: string, format: FormatGuard, hash: Hash, node: CasNode): boolean {
  return writeIndexed(dir, format, hash, node, (bytes) => createFileExclusive(fsStoreFile(dir, hash), bytes));
}

/** Writes a node over what is there and damaged. */
export function replaceNode(dir: string, format: FormatGuard, hash: Hash, node: CasNode): void {
  const file = fsStoreFile(dir, hash);
  writeIndexed(dir, format, hash, node, (bytes) => {
    setFolderAside(file);
    replaceFile(file, bytes, null);
  });
}

/**
 * Makes a node that is there as good as one that we wrote: whoever linked it may not have synced the folder yet, and
 * a garbage collector goes by the time of the file. `now` gives epoch ms.
 */
export function confirmNode(
  dir: string,
  format: FormatGuard,
  now: () => number,
  hash: Hash,
  node: CasNode,
): void {
  const file = fsStoreFile(dir, hash);
  const seconds = now() / 1000;
  try {
    utimesSync(file, seconds, seconds);
    fsyncDir(dir);
  } catch (error) {
    // Collected since we looked, or somebody else's file, whose time is not ours to set: put our own there.
    const errno = errnoOf(error);
    if (errno !== "ENOENT" && errno !== "EPERM") throw ioFault("refresh", file, error);
    replaceNode(dir, format, hash, node);
  }
}

function writeIndexed<T>(
  dir: string,
  format: FormatGuard,
  hash: Hash,
  node: CasNode,
  write: (bytes: Uint8Array) => T,
): T {
  const bytes = encodeNode(node);
  if (bytes.length > NODE_LIMIT) throw tooLarge(bytes.length);
  makeDir(indexDir(dir));
  format.ensure();
  const line = announce(dir, node.type, hash);
  try {
    const written = write(bytes);
    line.confirm();
    return written;
  } finally {
    line.close();
  }
}

/** rename(2) replaces anything but a folder. What is in it is nobody's node, but not ours to delete either. */
export function setFolderAside(file: string): void {
  guarded("replace", file, () => {
    const isFolder = lstatSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false;
    if (isFolder) renameSync(file, temporaryPath(file));
  });
}

function tooLarge(size: number): CasError {
  const reason = `as a node it has ${size} bytes, the limit is ${NODE_LIMIT}`;
  return new CasError({ code: "NOT_STORABLE", path: "", reason });
}
