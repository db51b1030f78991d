import { writeOut } from "@uncaged/json-cas-fs";

// writeSync instead of process.stdout: nothing is lost at exit, and its first use costs bun 9 ms less.

/** Writes text, as UTF-8, or bytes to an open file descriptor, until its reader is gone. */
export function fileSink(fd: number): (content: string | Uint8Array) => void {
  let closed = false;
  return (content) => {
    if (!closed) closed = !writeOut(fd, Buffer.from(content));
  };
}

/** What the command may touch of the process it runs in. Nothing below `bin/` reads `process`. */
export type Host = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** Epoch ms. */
  readonly now: () => number;
  /** A closed reader (`| head -1`) is not an error: what it no longer reads is dropped. */
  readonly out: (content: string | Uint8Array) => void;
  readonly err: (text: string) => void;
  /** All of stdin, until its end; `null` for more than `limit` bytes. */
  readonly readStdin: (limit: number) => Uint8Array | null;
};
