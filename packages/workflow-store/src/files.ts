import {
  closeSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { CasError } from "@uncaged/json-cas";
import {
  errnoOf,
  ioFault,
  isMissing,
  isNotRegular,
  openRegular,
  readWithin,
  removeIfThere,
} from "@uncaged/json-cas-fs";
import { err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import { attempt } from "./attempt.js";

// Files that can be regenerated (`<name>.json`), or lost: nothing in them is synced.

/** A longer history is read from its nodes: in memory it is several times as large. */
export const LARGEST_DERIVED = 128 * 1024 * 1024;

/** Returns `null` if the file system refuses: a cache is never essential. */
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

/** Reads at most the size found on opening: a file that another process keeps appending to has no end. */
function bytesOf(fd: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  let done = 0;
  for (let read = -1; read !== 0 && done < size; done += read)
    read = readSync(fd, bytes, done, size - done, done);
  return bytes.subarray(0, done);
}

/** Replaces whatever exists there, unless it is a folder. `mode`: as for open(2). */
export function writeAnew(path: string, bytes: Uint8Array, mode = 0o664): void {
  const making = makingOf(path);
  mkdirSync(dirname(path), { recursive: true, mode: 0o775 });
  removeIfThere(making);
  try {
    writeNew(making, bytes, mode);
    renameSync(making, path);
  } catch (error) {
    removeIfThere(making);
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
  removeIfThere(path);
  removeIfThere(makingOf(path));
}

function makingOf(path: string): string {
  return path.replace(/\.json$/, ".new");
}

function writeAt(fd: number, offset: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(fd, bytes, done, bytes.length - done, offset + done);
  }
}

/** The names in a folder, sorted; none when it does not exist. Throws `IO_FAILED`. */
export function folderNames(path: string): readonly string[] {
  try {
    return readdirSync(path).sort();
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw ioFault("list", path, error);
  }
}

/** Removes a file or a folder with its content; nothing there is fine. Throws `IO_FAILED`. */
export function removeTree(path: string): void {
  try {
    // Retries: a process that is just being ended may still put a file into a folder that is being emptied.
    if (!removeFlat(path)) rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  } catch (error) {
    throw ioFault("remove", path, error);
  }
}

/**
 * Removes a folder that contains only files, like every run, without the module that Node.js loads for trees,
 * which is 1 ms of a step. `false` for anything else, and whenever the system refuses something.
 */
function removeFlat(path: string): boolean {
  try {
    if (!lstatSync(path).isDirectory()) return false;
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      if (entry.isDirectory()) return false;
      unlinkSync(join(path, entry.name));
    }
    rmdirSync(path);
    return true;
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    return false;
  }
}

/** Bytes of a file that says one thing: a run, an ending, a thread's folder. */
const RECORD_LIMIT = 1024 * 1024;

/**
 * A complete file; `null` if there is none. Anything but a regular file, or one larger than uwf writes, is
 * `STORE_DAMAGED`: a pipe or a device may never end.
 */
export function readBytes(path: string, limit = RECORD_LIMIT): Result<Buffer | null, Fault> {
  const read = withRegular(path, (fd) => ({ bytes: readWithin(fd, limit) }));
  if (!read.ok || read.value === null) return read.ok ? ok(null) : read;
  const { bytes } = read.value;
  return bytes === null ? err(tooLarge(path, limit)) : ok(bytes);
}

/** uwf writes no file that large: another program wrote it, or it is damaged. */
function tooLarge(file: string, limit: number): Fault {
  return fault("STORE_DAMAGED", { file, reason: `it is larger than ${limit} bytes, the limit` });
}

/** What `look` makes of an open file, for files that are not to be held in memory; else as `readBytes`. */
export function withRegular<T>(path: string, look: (fd: number) => T): Result<T | null, Fault> {
  const opened = openOrNull(path);
  if (!opened.ok || opened.value === null) return opened.ok ? ok(null) : opened;
  const fd = opened.value;
  return attempt(() => {
    try {
      return look(fd);
    } catch (error) {
      throw ioFault("read", path, error);
    } finally {
      closeSync(fd);
    }
  });
}

function openOrNull(path: string): Result<number | null, Fault> {
  if (isMissing(path)) return ok(null);
  let isRegular = true;
  const opened = attempt(() => {
    try {
      return openRegular(path, "followed");
    } catch (error) {
      if (errnoOf(error) === "ENOENT") return null;
      isRegular = !isNotRegular(error);
      throw ioFault("read", path, error);
    }
  });
  return isRegular ? opened : err(fault("STORE_DAMAGED", { file: path, reason: "it is not a regular file" }));
}

/**
 * A complete text file without its byte order mark; `null` if there is none. Bytes that are not UTF-8 are
 * `STORE_DAMAGED`.
 */
export function readRecord(path: string): Result<string | null, Fault> {
  const bytes = readBytes(path);
  if (!bytes.ok || bytes.value === null) return bytes.ok ? ok(null) : bytes;
  const text = decode(bytes.value);
  return text === null
    ? err(fault("STORE_DAMAGED", { file: path, reason: "it is not UTF-8 text" }))
    : ok(text);
}

/**
 * Text that was read byte by byte (latin1), decoded as UTF-8 without a byte order mark; `null` if it is not UTF-8.
 */
export function utf8Of(latin1: string): string | null {
  return decode(Buffer.from(latin1, "latin1"));
}

function decode(bytes: Buffer): string | null {
  const text = bytes.toString("utf8");
  // Damage comes as U+FFFD, and a byte order mark is rare too: only then a decoder is worth the time that it takes to make.
  return text.includes("\ufffd") || text.startsWith("\ufeff") ? decodeStrictly(bytes) : text;
}

function decodeStrictly(bytes: Buffer): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/**
 * The last `limit` bytes of a file as text, starting at a complete character; "" if there is no file. Throws
 * `IO_FAILED`.
 */
export function readTail(path: string, limit: number, links: "followed" | "refused" = "followed"): string {
  try {
    return tailText(openRegular(path, links), limit);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return "";
    throw ioFault("read", path, error);
  }
}

function tailText(file: number, limit: number): string {
  try {
    const { size } = fstatSync(file);
    const bytes = Buffer.alloc(Math.min(size, limit));
    const read = readSync(file, bytes, 0, bytes.length, size - bytes.length);
    return bytes.subarray(firstCharacter(bytes, size > limit), read).toString("utf8");
  } finally {
    closeSync(file);
  }
}

/** UTF-8 continuation bytes are 10xxxxxx: at most three of them belong to a character that began before the cut. */
function firstCharacter(bytes: Buffer, cut: boolean): number {
  let start = 0;
  while (cut && start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return start;
}
