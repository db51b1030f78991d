import { closeSync, constants, fstatSync, fsyncSync, ftruncateSync, openSync, readSync } from "node:fs";
import { dirname } from "node:path";
import { guarded } from "./open.js";
import { fsyncDir } from "./sync.js";
import { writeAll } from "./write.js";

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
