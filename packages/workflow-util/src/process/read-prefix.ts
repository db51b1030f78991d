import { closeSync, openSync, readSync } from "node:fs";

/** The first bytes of a file; `null` when it cannot be read. Bounded: a path may lead to a device without an end. */
export function readPrefix(path: string, bytes: number): Buffer | null {
  try {
    const fd = openSync(path, "r");
    try {
      const buffer = Buffer.alloc(bytes);
      return buffer.subarray(0, readSync(fd, buffer, 0, bytes, null));
    } finally {
      closeSync(fd);
    }
  } catch {
    return null;
  }
}
