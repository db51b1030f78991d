import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { CasError } from "@uncaged/json-cas";
import { errnoOf, openRegular } from "@uncaged/json-cas-fs";

// Files that can be made anew from others (`<name>.json`), or missed: nothing of them is synced.

/** A longer history is read from its nodes: in memory it is several times as large. */
export const LARGEST_DERIVED = 128 * 1024 * 1024;

/** Gives `null` for what the file system refuses: nobody misses a cache. */
export function quietly<T>(action: () => T): T | null {
  try {
    return action();
  } catch (error) {
    if (errnoOf(error) === null && !(error instanceof CasError)) throw error;
    return null;
  }
}

/** A regular file of at most `LARGEST_DERIVED` bytes; `null` for anything else. */
export function readDerived(path: string): Buffer | null {
  const fd = openRegular(path, "refused");
  try {
    const { size } = fstatSync(fd);
    return size > LARGEST_DERIVED ? null : bytesOf(fd, size);
  } finally {
    closeSync(fd);
  }
}

/** As many as there were when it was opened: a file that somebody fills has no end. */
function bytesOf(fd: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  let done = 0;
  for (let read = -1; read !== 0 && done < size; done += read)
    read = readSync(fd, bytes, done, size - done, done);
  return bytes.subarray(0, done);
}

/** Whatever stands there is replaced, unless it is a folder. `mode`: as of open(2). */
export function writeAnew(path: string, bytes: Uint8Array, mode = 0o664): void {
  const making = makingOf(path);
  mkdirSync(dirname(path), { recursive: true, mode: 0o775 });
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

export function writeAt(fd: number, offset: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(fd, bytes, done, bytes.length - done, offset + done);
  }
}
