import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/** The first bytes of a regular file; `null` when it cannot be read. A pipe is not waited for, a device not read. */
export function readPrefix(path: string, bytes: number): Buffer | null {
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      if (!fstatSync(fd).isFile()) return null;
      const buffer = Buffer.alloc(bytes);
      return buffer.subarray(0, readSync(fd, buffer, 0, bytes, null));
    } finally {
      closeSync(fd);
    }
  } catch {
    return null;
  }
}
