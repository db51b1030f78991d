import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { CasError } from "@uncaged/json-cas";
import { errnoOf, guarded, temporaryPath } from "./open.js";
import { AT_ONCE, fsyncDir, refuseLink, type Syncs } from "./sync.js";

/** Before the umask; nothing is open to everybody. */
export const DEFAULT_MODE = 0o664;

/** Bits of a file mode that chmod takes. */
const PERMISSIONS = 0o7777;

/** What goes into a file: all of it, or what `write` is called with, piece by piece. */
export type Content = string | Uint8Array | ((write: (piece: string | Uint8Array) => void) => void);

/**
 * Replaces a file atomically: readers see either the old or the new content, also after a crash. Order: temporary
 * file, fsync, rename, fsync of the folder. A symbolic link stays one; its target is replaced. `mode: null` keeps
 * the mode of the existing file (a new one gets the umask's). Throws `CasError` `IO_FAILED`; the file is then
 * unchanged, or already new if only the last fsync failed.
 */
export function writeFileAtomic(
  path: string,
  data: Content,
  options: { readonly mode: number | null },
): void {
  guarded("write", path, () => {
    const target = followLink(path);
    replaceFile(target, data, options.mode ?? readMode(target));
  });
}

/** `writeFileAtomic` of a file in a folder that others may have filled: a symbolic link there is refused, and stays. */
export function writeFileHere(path: string, data: Content): void {
  refuseLink(path);
  guarded("write", path, () => replaceFile(path, data, readMode(path)));
}

/** `writeFileAtomic` for the very name: a symbolic link there is replaced too. `mode: null` is the umask's. */
export function replaceFile(path: string, data: Content, mode: number | null): void {
  guarded("write", path, () => {
    const temporary = temporaryPath(path);
    removingOnFailure(temporary, () => {
      writeDurably(temporary, data, mode);
      renameSync(temporary, path);
    });
    fsyncDir(dirname(path));
  });
}

/**
 * Creates a file that appears complete or not at all, and never replaces one. Returns `false` if the name is
 * taken. Order: temporary file, fsync, link, fsync of the folder (if `syncs` says so). The folder is synced in
 * both cases, because the process that created the file first may not have synced it yet.
 */
export function createFileExclusive(
  path: string,
  data: string | Uint8Array,
  syncs: Syncs = AT_ONCE,
): boolean {
  const file = writeUnnamed(path, data);
  try {
    file.sync();
    return file.name(syncs);
  } finally {
    file.drop();
  }
}

/** A file written under a temporary name. System errors are `IO_FAILED`. */
export type UnnamedFile = {
  /** Makes its content durable and closes it; called once, before `name`. */
  readonly sync: () => void;
  /** Gives it its name and takes the temporary one; `false` when the name is taken. */
  readonly name: (syncs: Syncs) => boolean;
  /** Called at the end in every case: removes the file if it has no name yet. Throws no system errors. */
  readonly drop: () => void;
};

/** The first part of `createFileExclusive`: several files that are written, synced and named by turns cost fewer flushes. */
export function writeUnnamed(path: string, data: string | Uint8Array): UnnamedFile {
  const temporary = temporaryPath(path);
  const fd = guarded("create", path, () => openWritten(temporary, data));
  let [isOpen, isLeft] = [true, true];
  return {
    sync: () =>
      guarded("create", path, () => {
        fsyncSync(fd);
        isOpen = false;
        closeSync(fd);
      }),
    name: (syncs) =>
      guarded("create", path, () => {
        const created = linkNew(temporary, path);
        unlinkSync(temporary);
        isLeft = false;
        syncs.folder(dirname(path));
        return created;
      }),
    drop: () => {
      if (isOpen) closeQuietly(fd);
      isOpen = false;
      if (isLeft) tryUnlink(temporary);
      isLeft = false;
    },
  };
}

function openWritten(path: string, data: string | Uint8Array): number {
  const fd = openSync(path, "wx", DEFAULT_MODE);
  try {
    writeAll(fd, data);
    return fd;
  } catch (error) {
    closeQuietly(fd);
    tryUnlink(path);
    throw error;
  }
}

/** After a failure, which is the one to report. */
function closeQuietly(fd: number): void {
  try {
    closeSync(fd);
  } catch (error) {
    if (errnoOf(error) === null) throw error;
  }
}

/** link(2) without clobbering; `false` when the name is taken. */
export function linkNew(existing: string, path: string): boolean {
  try {
    linkSync(existing, path);
    return true;
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === "EEXIST") return false;
    if (errno === null || !NO_LINKS.has(errno)) throw error;
    const reason = "its file system has no hard links";
    throw new CasError({ code: "IO_FAILED", operation: "create", path, errno, reason });
  }
}

/** The link is to a file of our own in the same folder: exFAT, vfat and some network mounts answer so. */
const NO_LINKS: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

/** Writes everything, however small the pieces that the system takes. */
export function writeAll(fd: number, data: string | Uint8Array): void {
  const bytes = typeof data === "string" ? Buffer.from(data, "utf8") : data;
  for (let offset = 0; offset < bytes.length; ) {
    offset += writeSync(fd, bytes, offset, bytes.length - offset);
  }
}

/**
 * Writes a new file and makes its content durable, but not its name. `mode: null` is the umask's. Throws system
 * errors (`EEXIST`, `ENOSPC`); the file may then exist, truncated.
 */
export function writeDurably(path: string, data: Content, mode: number | null): void {
  const fd = openSync(path, "wx", mode ?? DEFAULT_MODE);
  try {
    // open(2) subtracts the umask; a mode that is kept or requested is meant exactly.
    if (mode !== null) fchmodSync(fd, mode);
    if (typeof data === "function") data((piece) => writeAll(fd, piece));
    else writeAll(fd, data);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function removingOnFailure<T>(temporary: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    tryUnlink(temporary);
    throw error;
  }
}

/** Removes a file; `false` if there is none. System errors are `IO_FAILED`. */
export function removeIfThere(path: string): boolean {
  return guarded("remove", path, () => {
    try {
      unlinkSync(path);
      return true;
    } catch (error) {
      if (errnoOf(error) === "ENOENT") return false;
      throw error;
    }
  });
}

/** Removes a file if possible; if not, what remains is harmless. */
export function tryUnlink(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (errnoOf(error) === null) throw error;
  }
}

function followLink(path: string): string {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  if (!isLink) return path;
  try {
    return realpathSync(path);
  } catch (error) {
    // A dangling link: the file takes its place.
    if (errnoOf(error) === "ENOENT") return path;
    throw error;
  }
}

function readMode(path: string): number | null {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? null : stat.mode & PERMISSIONS;
}

/**
 * Writes a new file piece by piece: it appears complete, or not at all. Returns `null` if the name is taken and
 * `replace` is not wanted. Order: temporary file, fsync, link or rename, fsync of the folder. Errors of `fill`
 * pass through.
 */
export function writeNewFile<T>(
  path: string,
  replace: boolean,
  fill: (write: (piece: string | Uint8Array) => void) => T,
): T | null {
  const temporary = temporaryPath(path);
  return guarded("write", path, () =>
    removingOnFailure(temporary, () => {
      let result: T | null = null;
      writeDurably(
        temporary,
        (write) => {
          result = fill(write);
        },
        null,
      );
      const isThere = replace || linkNew(temporary, path);
      if (replace) renameSync(temporary, path);
      else unlinkSync(temporary);
      fsyncDir(dirname(path));
      return isThere ? result : null;
    }),
  );
}

const NEWLINE = 10;
const CHUNK = 4096;

/** "a+" that follows no link. */
const APPEND = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);

/**
 * Opens an append-only file for reading and appending; one that is missing is made for its owner alone, unless a `mode` says
 * otherwise. Throws system errors, `ELOOP` for a link.
 */
export function openAppendOnly(path: string, mode = 0o600): number {
  return openSync(path, APPEND, mode);
}

/**
 * Appends one line to an append-only file and makes it durable; creates the file if it is missing. An unterminated
 * last line is a torn write of a process that died and is cut off first. The caller holds the lock of the file.
 * Throws `CasError` `IO_FAILED`; the line is then not in the file, or torn.
 */
export function appendLine(path: string, line: string): void {
  guarded("append to", path, () => {
    // Read and append: the torn end is looked at and the line goes to the end, whatever else happens.
    const fd = openAppendOnly(path);
    try {
      const size = fstatSync(fd).size;
      const end = endOfLastLine(fd, size);
      if (end < size) ftruncateSync(fd, end);
      appendOrCut(fd, end, `${line}\n`);
      if (size === 0) fsyncDir(dirname(path));
    } finally {
      closeSync(fd);
    }
  });
}

/** A line that is not durable must not be seen by the next reader as if it were. */
function appendOrCut(fd: number, end: number, text: string): void {
  try {
    writeAll(fd, text);
    fsyncSync(fd);
  } catch (error) {
    cutQuietly(fd, end);
    throw error;
  }
}

function cutQuietly(fd: number, end: number): void {
  try {
    ftruncateSync(fd, end);
  } catch {
    // The first failure is the one to report; readers skip a torn line.
  }
}

/** The offset after the last newline. */
function endOfLastLine(fd: number, size: number): number {
  const buffer = Buffer.allocUnsafe(CHUNK);
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - CHUNK);
    const length = readSync(fd, buffer, 0, end - start, start);
    const at = buffer.subarray(0, length).lastIndexOf(NEWLINE);
    if (at !== -1) return start + at + 1;
    end = start;
  }
  return 0;
}
