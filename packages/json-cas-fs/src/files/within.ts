import { readSync } from "node:fs";
import { errnoOf } from "./io-fault.js";

const PIECE = 256 * 1024;

/**
 * What can still be read from a descriptor; `null` when that is more than `limit` bytes, of which no more is read. The
 * size that a file tells is not always that of its content (stdin, /proc, a file that grows). Throws what the system says.
 */
export function readWithin(fd: number, limit: number): Buffer | null {
  let room: Buffer = Buffer.allocUnsafeSlow(Math.min(limit + 1, PIECE));
  let size = 0;
  for (;;) {
    if (size === room.length) {
      if (size > limit) return null;
      room = grown(room, Math.min(limit + 1, size * 2));
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
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
