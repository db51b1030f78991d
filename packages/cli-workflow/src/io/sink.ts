import { constants, fstatSync, openSync, writeSync } from "node:fs";
import { isTerminal } from "./terminal.js";
import type { TextSink } from "./types.js";

// writeSync instead of process.stdout: nothing is lost at exit, and its first use costs bun 9 ms less.

/** A sink over an open file descriptor. */
export function fileSink(fd: number): TextSink {
  let closed = false;
  const write = (text: string): void => {
    if (!closed) closed = !writeAll(fd, new TextEncoder().encode(text));
  };
  return { write, isClosed: () => closed, isTerminal: () => isTerminal(fd) };
}

/**
 * A sink for messages: what cannot be said (stderr on a full disk) does not change how the command ended. While
 * `mayWait` says no, a reader that stands still (a pager, Ctrl-S) is not waited for: what it does not take is lost,
 * and it is told so when it goes on.
 */
export function messageSink(fd: number, mayWait: () => boolean): TextSink {
  const sink = fileSink(fd);
  let impatient: Impatient | null = null;
  const write = (text: string): void => {
    try {
      if (mayWait()) {
        sink.write((impatient?.rest() ?? "") + text);
      } else {
        impatient ??= impatientOn(fd);
        if (impatient === null) sink.write(text);
        else impatient.write(text);
      }
    } catch {
      // There is no other place to say it.
    }
  };
  return { ...sink, write };
}

type Impatient = { readonly write: (text: string) => void; readonly rest: () => string };

/** Bytes that wait for a reader that may only be slow. */
const MOST_WAITING = 64 * 1024;

/** `null` where writing waits for nobody, as into a file; and where it cannot be told not to. */
function impatientOn(fd: number): Impatient | null {
  const own = withoutWaiting(fd);
  if (own === null) return null;
  let waiting = Buffer.alloc(0);
  let lost = 0;
  const rest = (): string => {
    const text = waiting.toString("utf8") + lostNote(lost);
    waiting = Buffer.alloc(0);
    lost = 0;
    return text;
  };
  const write = (text: string): void => {
    const bytes = Buffer.concat([waiting, Buffer.from(text)]);
    waiting = bytes.subarray(writeSome(own, bytes));
    if (waiting.length === 0 && lost > 0) {
      waiting = Buffer.from(rest());
    } else if (waiting.length > MOST_WAITING) {
      lost += waiting.length - MOST_WAITING;
      waiting = waiting.subarray(0, MOST_WAITING);
    }
  };
  return { write, rest };
}

function lostNote(bytes: number): string {
  return bytes === 0 ? "" : `\n[${bytes} bytes that nobody read are not shown]\n`;
}

/** The same pipe or terminal, opened anew: not waiting is a property of the open file, and ours others have too. */
function withoutWaiting(fd: number): number | null {
  try {
    const stat = fstatSync(fd);
    if (!stat.isFIFO() && !stat.isCharacterDevice()) return null;
    const flags = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
    return openSync(`/proc/self/fd/${fd}`, flags);
  } catch {
    return null;
  }
}

/** How many of the bytes were taken; all of them by a reader that is gone. */
function writeSome(fd: number, bytes: Uint8Array): number {
  let offset = 0;
  try {
    while (offset < bytes.length) offset += writeSync(fd, bytes, offset);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EAGAIN" ? offset : bytes.length;
  }
  return offset;
}

/** `false` once the reader is gone. */
function writeAll(fd: number, bytes: Uint8Array): boolean {
  let offset = 0;
  while (offset < bytes.length) {
    try {
      offset += writeSync(fd, bytes, offset);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === "EPIPE") return false;
      if (code !== "EAGAIN") throw error;
      // A full non-blocking pipe: the reader is slow, not gone.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
  return true;
}
