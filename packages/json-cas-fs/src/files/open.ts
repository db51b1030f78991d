import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { CasError } from "@uncaged/json-cas";

type ErrnoError = Error & { readonly code: string };

/** Whether the system refused something, as opposed to a bug. */
function isErrnoError(error: unknown): error is ErrnoError {
  return (
    error instanceof Error &&
    "code" in error &&
    typeof error.code === "string" &&
    /^E[A-Z0-9]+$/.test(error.code)
  );
}

/** The errno name of a system error (`ENOENT`), `null` for anything else. */
export function errnoOf(error: unknown): string | null {
  return isErrnoError(error) ? error.code : null;
}

/** What the system says, without the call and the paths: `no space left on device`. */
export function errnoReason(error: unknown): string {
  if (!isErrnoError(error)) return String(error);
  return error.message.replace(/^E[A-Z0-9]+:\s*/, "").replace(/, [a-z]+(?: '.*)?$/s, "");
}

/** A refusal of the file system as `IO_FAILED`. A `CasError` stays as it is; a bug is rethrown. */
export function ioFault(operation: string, path: string, error: unknown): CasError {
  if (error instanceof CasError) return error;
  if (!isErrnoError(error)) throw error;
  return new CasError({ code: "IO_FAILED", operation, path, errno: error.code, reason: errnoReason(error) });
}

/** Runs `action`; a refusal of the file system becomes `cannot <operation> <path>: …`. */
export function guarded<T>(operation: string, path: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw ioFault(operation, path, error);
  }
}

// Windows knows neither flag. NONBLOCK: opening a named pipe must not wait for a writer.
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Opens for reading what may be anything, without following a link (`ELOOP`) and without waiting. */
export const READ_PLAIN: number = READ | (constants.O_NOFOLLOW ?? 0);

/**
 * Opens a regular file for reading. Throws `CasError` `IO_FAILED` if it is not one (a link only counts if `links`
 * are followed), or if the system refuses.
 */
export function openRegular(path: string, links: "followed" | "refused"): number {
  const fd = openOrRefuse(path, links === "followed" ? READ : READ_PLAIN);
  try {
    if (fstatSync(fd).isFile()) return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  closeSync(fd);
  throw notRegular(path);
}

/**
 * Whether nothing exists at that path. Asked before opening a file that is usually absent: a failing open(2)
 * throws, and the first exception of a process costs bun 0.1 ms. If the check itself fails, the later open reports
 * why.
 */
export function isMissing(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

function openOrRefuse(path: string, flags: number): number {
  try {
    return openSync(path, flags);
  } catch (error) {
    // ENXIO: a socket, or a device that is not there.
    if (errnoOf(error) === "ELOOP" || errnoOf(error) === "ENXIO") throw notRegular(path);
    throw error;
  }
}

const NOT_REGULAR = "EINVAL";

function notRegular(path: string): CasError {
  const reason = "it is not a regular file";
  return new CasError({ code: "IO_FAILED", operation: "read", path, errno: NOT_REGULAR, reason });
}

/** Whether an error says that the path is not a regular file. */
export function isNotRegular(error: unknown): boolean {
  return error instanceof CasError && error.fault.code === "IO_FAILED" && error.fault.errno === NOT_REGULAR;
}

let counter = 0;

/**
 * A name that no other process or call uses: pid, a counter and 52 random bits.
 * Uniqueness is all that is asked of it, so `Math.random` will do; node:crypto costs bun 6 ms to load.
 */
export function uniqueName(): string {
  counter += 1;
  const random = Math.floor(Math.random() * 2 ** 52).toString(36);
  return `${process.pid.toString(36)}-${counter.toString(36)}-${random.padStart(11, "0")}`;
}

const TEMPORARY = /\.[0-9a-z]+-[0-9a-z]+-[0-9a-z]{11}\.tmp$/;

/** A path in the same folder, so that rename(2) and link(2) to the final name never cross file systems. */
export function temporaryPath(path: string): string {
  return join(dirname(path), `${basename(path)}.${uniqueName()}.tmp`);
}

/** Whether a file name has the form that `temporaryPath` makes. */
export function isTemporaryName(name: string): boolean {
  return TEMPORARY.test(name);
}

/** The pid in the name of a temporary file. */
export function writerOf(name: string): number | null {
  const pid = /\.([0-9a-z]+)-[0-9a-z]+-[0-9a-z]{11}\.tmp$/.exec(name)?.[1];
  return pid === undefined ? null : Number.parseInt(pid, 36);
}

/** The names in a folder; none when it is missing. */
export function readNames(dir: string): readonly string[] {
  return guarded("read folder", dir, () => {
    try {
      return readdirSync(dir);
    } catch (error) {
      if (errnoOf(error) === "ENOENT") return [];
      throw error;
    }
  });
}

const PIECE = 256 * 1024;

/**
 * Reads the rest of a descriptor; `null` if it has more than `limit` bytes, without reading further. The size in
 * stat is not always that of the content (stdin, /proc, a growing file). Throws system errors.
 */
export function readWithin(fd: number, limit: number): Buffer | null {
  let room: Buffer = Buffer.allocUnsafeSlow(Math.min(limit + 1, PIECE));
  let size = 0;
  for (;;) {
    if (size === room.length) {
      if (size > limit) return null;
      // By the size at once: rooms of every size up to it would wait for the garbage collector.
      room = grown(room, Math.min(limit + 1, Math.max(size * 2, fstatSync(fd).size + 1)));
    }
    const read = readSome(fd, room, size);
    if (read === 0) return room.subarray(0, size);
    size += read;
    if (size > limit) return null;
  }
}

function grown(room: Buffer, size: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(size);
  room.copy(larger);
  return larger;
}

function readSome(fd: number, room: Buffer, at: number): number {
  for (;;) {
    try {
      return readSync(fd, room, at, room.length - at, null);
    } catch (error) {
      // A non-blocking stdin whose writer is slow.
      if (errnoOf(error) !== "EAGAIN") throw error;
      pause(5);
    }
  }
}

/** Blocks the thread. */
export function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

// writeSync instead of process.stdout: nothing is lost at exit, and its first use costs bun 9 ms less.

/** Writes all of it to a file, a pipe or a terminal; `false` once its reader is gone. */
export function writeOut(fd: number, bytes: Uint8Array): boolean {
  let offset = 0;
  while (offset < bytes.length) {
    try {
      offset += writeSync(fd, bytes, offset);
    } catch (error) {
      const code = errnoOf(error);
      if (code === "EPIPE") return false;
      if (code !== "EAGAIN") throw error;
      // A full non-blocking pipe: the reader is slow, not gone.
      pause(2);
    }
  }
  return true;
}

/** `writeOut` to stdout. Throws `CasError` `IO_FAILED`: stdout may be a file on a full disk. */
export function writeStdout(bytes: Uint8Array): boolean {
  return guarded("write", "stdout", () => writeOut(1, bytes));
}

/** Makes what was written to stdout durable if that is a file. Throws `CasError` `IO_FAILED`. */
export function syncStdout(): void {
  guarded("sync", "stdout", () => {
    if (fstatSync(1).isFile()) fsyncSync(1);
  });
}

/** To stderr. What cannot be said does not change how a program ends, so this never throws. */
export function writeStderr(text: string): void {
  try {
    writeOut(2, Buffer.from(text));
  } catch {
    // There is no other place to report it.
  }
}
