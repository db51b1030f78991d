import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { CasError } from "@uncaged/json-cas";
import { errnoOf, isLink, openRegular } from "@uncaged/json-cas-fs";
import type { ThreadId } from "@uncaged/workflow-protocol";
import type { CachePlace } from "./types.js";

// <cache>/history/<thread>.json   the cached history
// <cache>/history/<thread>.new    the same while it is written anew; what a crash leaves is replaced by the next
//
// Nothing is synced: what a power cut leaves is a document that is whole, or one that its seal does not fit.

/** A longer history is read from its nodes: in memory it is several times as large. */
export const LIMIT = 128 * 1024 * 1024;

/** Windows knows none of the last two. NONBLOCK: opening a named pipe must not wait for a reader. */
const WRITE = constants.O_WRONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

export function cacheFile({ paths }: CachePlace, thread: ThreadId): string {
  return join(paths.cache, "history", `${thread}.json`);
}

/** Gives `null` for what the file system refuses: nobody misses a cache. */
export function quietly<T>(action: () => T): T | null {
  try {
    return action();
  } catch (error) {
    if (errnoOf(error) === null && !(error instanceof CasError)) throw error;
    return null;
  }
}

/** Whether the cache's folders, where they are there, are no links: nothing is changed behind one. */
export function isOurs(storage: CachePlace, thread: ThreadId): boolean {
  return !isLink(storage.paths.cache) && !isLink(dirname(cacheFile(storage, thread)));
}

/** A regular file of at most `LIMIT` bytes; `null` for anything else. */
export function readFile(path: string): Buffer | null {
  const fd = openRegular(path, "refused");
  try {
    const { size } = fstatSync(fd);
    return size > LIMIT ? null : readBytes(fd, size);
  } finally {
    closeSync(fd);
  }
}

/** As many as there were when it was opened: a file that somebody fills has no end. */
function readBytes(fd: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  let done = 0;
  for (let read = -1; read !== 0 && done < size; done += read)
    read = readSync(fd, bytes, done, size - done, done);
  return bytes.subarray(0, done);
}

/** Gives a regular file that is there another end. */
export function writeEnd(path: string, offset: number, bytes: Uint8Array): void {
  const fd = openSync(path, WRITE);
  try {
    const there = fstatSync(fd);
    if (!there.isFile()) return;
    writeAt(fd, offset, bytes);
    if (there.size > offset + bytes.length) ftruncateSync(fd, offset + bytes.length);
  } finally {
    closeSync(fd);
  }
}

/** Whatever stands there is replaced, unless it is a folder. `mode`: as of open(2). */
export function writeAnew(path: string, bytes: Uint8Array, mode = 0o666): void {
  const making = makingOf(path);
  mkdirSync(dirname(path), { recursive: true });
  removeFile(making);
  try {
    writeNew(making, bytes, mode);
    renameSync(making, path);
  } catch (error) {
    removeFile(making);
    throw error;
  }
}

function writeNew(path: string, bytes: Uint8Array, mode: number): void {
  const fd = openSync(path, "wx", mode);
  try {
    writeAt(fd, 0, bytes);
  } finally {
    closeSync(fd);
  }
}

export function removeBoth(path: string): void {
  removeFile(path);
  removeFile(makingOf(path));
}

function makingOf(path: string): string {
  return path.replace(/\.json$/, ".new");
}

function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error;
  }
}

function writeAt(fd: number, offset: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(fd, bytes, done, bytes.length - done, offset + done);
  }
}
