import { fstatSync, fsyncSync, writeSync } from "node:fs";
import { errnoOf, guarded, pause } from "./open.js";

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
