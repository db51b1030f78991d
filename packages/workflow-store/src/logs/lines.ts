import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { CasError } from "@uncaged/json-cas";
import { errnoOf, ioFault } from "@uncaged/json-cas-fs";

const CHUNK = 256 * 1024;

const NEWLINE = 10;

/** Ours stay far below: of what an agent wrote they hold 4096 characters each of stdout and stderr. */
const MAX_LINE = 4 * 1024 * 1024;

/** A line of a file. */
export type RawLine = {
  /** Without its newline, and good until the next line is asked for; `null` for one that is longer than any of ours. */
  readonly bytes: Buffer | null;
  /** Where the next line begins. */
  readonly end: number;
  /** `false` only for the last line of a file, whose newline has not been written. */
  readonly whole: boolean;
};

/**
 * The lines of a file from a byte on, one chunk in memory at a time; none when there is no file. What grows while it
 * is read is read too. Throws `CasError` `IO_FAILED`.
 */
export function* linesOf(path: string, offset: number): Generator<RawLine> {
  const fd = openFile(path);
  if (fd === null) return;
  try {
    yield* linesIn(fd, path, offset);
  } finally {
    closeSync(fd);
  }
}

function* linesIn(fd: number, path: string, offset: number): Generator<RawLine> {
  const buffer = Buffer.allocUnsafe(CHUNK);
  let position = offset;
  let rest: Buffer | null = EMPTY;
  for (let chunk = readChunk(fd, path, buffer, position); chunk.length > 0; ) {
    let start = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, start)) {
      const bytes = joined(rest, chunk.subarray(start, at));
      start = at + 1;
      rest = EMPTY;
      yield { bytes, end: position + start, whole: true };
    }
    // A copy: the buffer is filled anew.
    rest = joined(rest, Buffer.from(chunk.subarray(start)));
    position += chunk.length;
    chunk = readChunk(fd, path, buffer, position);
  }
  if (rest === null || rest.length > 0) yield { bytes: rest, end: position, whole: false };
}

const EMPTY: Buffer = Buffer.alloc(0);

/** `null` once a line has grown too long: the rest of it is passed over. */
function joined(start: Buffer | null, more: Buffer): Buffer | null {
  if (start === null || start.length + more.length > MAX_LINE) return null;
  return start.length === 0 ? more : Buffer.concat([start, more]);
}

function readChunk(fd: number, path: string, buffer: Buffer, position: number): Buffer {
  try {
    return buffer.subarray(0, readSync(fd, buffer, 0, buffer.length, position));
  } catch (error) {
    throw ioFault("read", path, error);
  }
}

/** `null` when there is no such file: somebody has cleared old days away. */
function openFile(path: string): number | null {
  try {
    // Non-blocking: a named pipe in the place of a log would be waited for for ever.
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (fstatSync(fd).isFile()) return fd;
    closeSync(fd);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return null;
    throw ioFault("read", path, error);
  }
  const reason = "it is not a regular file";
  throw new CasError({ code: "IO_FAILED", operation: "read", path, errno: "EINVAL", reason });
}
