import { writeSync } from "node:fs";

// writeSync instead of process.stdout: nothing is lost at exit, and its first use costs bun 9 ms less.

const PAUSE_MS = 2;

/** Writes text to an open file descriptor, until its reader is gone. */
export function fileSink(fd: number): (text: string) => void {
  let closed = false;
  return (text) => {
    if (!closed) closed = !writeAll(fd, Buffer.from(text, "utf8"));
  };
}

/** `false` once the reader is gone. */
function writeAll(fd: number, bytes: Uint8Array): boolean {
  let offset = 0;
  while (offset < bytes.length) {
    try {
      offset += writeSync(fd, bytes, offset, bytes.length - offset);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : null;
      if (code === "EPIPE") return false;
      if (code !== "EAGAIN") throw error;
      // A full non-blocking pipe: the reader is slow, not gone.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
  return true;
}

/** What the command may touch of the process it runs in. Nothing below `bin/` reads `process`. */
export type Host = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** Epoch ms. */
  readonly now: () => number;
  /** A closed reader (`| head -1`) is not an error: what it no longer reads is dropped. */
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** All of stdin, until its end. */
  /** `null`: more than `limit` bytes. */
  readonly readStdin: (limit: number) => Uint8Array | null;
};
