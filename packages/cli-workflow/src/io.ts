import { constants, fstatSync, openSync, writeSync } from "node:fs";
import { readWithin, writeOut, writeStdout } from "@uncaged/json-cas-fs";
import { endingSignals } from "@uncaged/workflow-util";
import { isTerminal } from "./terminal.js";

function columnsOf(fd: number): number | null {
  if (!isTerminal(fd)) return null;
  const { columns } = fd === 1 ? process.stdout : process.stderr;
  return columns > 0 ? columns : null;
}

/** What a command may touch of the process it runs in. Nothing below `bin/` reads `process`. */
export type Host = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The folder of uwf's own programs. */
  readonly binaries: string;
  /** Epoch ms. */
  readonly now: () => number;
  readonly pid: number;
  /** What runs us. */
  readonly runtime: { readonly name: "node" | "bun"; readonly version: string };
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  /** Writes bytes that are not text to stdout. */
  readonly writeBytes: (bytes: Uint8Array) => void;
  /** A random name that no other run has. */
  readonly newToken: () => string;
  /** All of stdin, until its end; `null` if it has more than this many bytes; the rest is not read. */
  readonly readStdin: (limit: number) => Uint8Array | null;
  readonly stdinIsTerminal: () => boolean;
  /** Calls back on SIGINT, SIGTERM and SIGHUP, unless the caller ignores them, until the returned function is called. */
  readonly onSignal: (listener: (signal: NodeJS.Signals) => void) => () => void;
  /** Sends a signal; `false` when there is no such process. */
  readonly kill: (pid: number, signal: NodeJS.Signals) => boolean;
  /** Resolves after this many ms. */
  readonly sleep: (milliseconds: number) => Promise<void>;
};

/** What is said on stderr while a command works. */
export type Messages = {
  /** Something is wrong, but work continues. */
  readonly warn: (sentence: string) => void;
  /** Progress. */
  readonly tell: (sentence: string) => void;
  /**
   * `false` when a program reads stderr (`--error-format json`): each line is one JSON object then, and nothing else may
   * be written there, an agent's words included.
   */
  readonly live: boolean;
};

export type TextSink = {
  /**
   * A closed reader (`| head -1`) is not an error: what it no longer reads is dropped. Throws `CasError` `IO_FAILED` if
   * stdout cannot be written.
   */
  readonly write: (text: string) => void;
  /** Whether a write has found that the reader is gone. */
  readonly isClosed: () => boolean;
  readonly isTerminal: () => boolean;
  /** Of the terminal; `null` if it is none. */
  readonly columns: () => number | null;
};

/** A sink over an open file descriptor. `send` returns whether a reader is still there. */
function fileSink(fd: number, send: (bytes: Uint8Array) => boolean): TextSink {
  let closed = false;
  const write = (text: string): void => {
    if (!closed) closed = !send(new TextEncoder().encode(text));
  };
  return { write, isClosed: () => closed, isTerminal: () => isTerminal(fd), columns: () => columnsOf(fd) };
}

/**
 * A sink for messages: failing to write one (stderr on a full disk) does not change how the command ends. While
 * `mayWait` returns false, a reader that does not read (a pager, Ctrl-S) is not waited for: what it does not take
 * is dropped, and a message says so once it reads again.
 */
function messageSink(fd: number, mayWait: () => boolean): TextSink {
  const sink = fileSink(fd, (bytes) => writeOut(fd, bytes));
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
      // There is no other place to report it.
    }
  };
  return { ...sink, write };
}

type Impatient = { readonly write: (text: string) => void; readonly rest: () => string };

/** Bytes that wait for a reader that may only be slow. */
const MOST_WAITING = 64 * 1024;

/** `null` if writes never block, as for a file, or if that cannot be changed. */
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
  return bytes === 0 ? "" : `\n[${bytes} bytes were left unread and are not shown]\n`;
}

/** The same pipe or terminal, opened again: being non-blocking is a property of the open file, which others share. */
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

const TOKEN_DIGITS = 24;

/** A random name that no other run has: 24 hexadecimal digits. */
function newToken(): string {
  const digits = process.versions.bun === undefined ? systemRandom() : null;
  return digits ?? crypto.randomUUID().replaceAll("-", "").slice(0, TOKEN_DIGITS);
}

/** From the kernel directly on Node.js, if possible: the global `crypto` takes 4 ms on first use. */
function systemRandom(): string | null {
  const fs = process.getBuiltinModule("node:fs");
  try {
    const fd = fs.openSync("/dev/urandom", "r");
    try {
      const bytes = Buffer.alloc(TOKEN_DIGITS / 2);
      return fs.readSync(fd, bytes, 0, bytes.length, null) === bytes.length ? bytes.toString("hex") : null;
    } finally {
      fs.closeSync(fd);
    }
  } catch {
    return null;
  }
}

/** The real process as a host; `binaries`: the folder of uwf's own programs. */
export function processHost(binaries: string): Host {
  return {
    env: process.env,
    cwd: process.cwd(),
    binaries,
    now: Date.now,
    pid: process.pid,
    runtime: runtime(),
    stdout: fileSink(1, writeStdout),
    stderr: messageSink(2, () => watchers === 0),
    writeBytes: (bytes) => void writeStdout(bytes),
    newToken,
    readStdin: (limit) => readWithin(0, limit),
    stdinIsTerminal: () => isTerminal(0),
    onSignal,
    kill,
    sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  };
}

function runtime(): Host["runtime"] {
  const { bun, node } = process.versions;
  return bun === undefined ? { name: "node", version: node } : { name: "bun", version: bun };
}

// A signal is delivered between two turns of the event loop, so a write must not block it.
let watchers = 0;

function onSignal(listener: (signal: NodeJS.Signals) => void): () => void {
  const signals = endingSignals(process.env);
  for (const signal of signals) process.on(signal, listener);
  watchers += 1;
  let watches = true;
  return () => {
    if (watches) watchers -= 1;
    watches = false;
    for (const signal of signals) process.off(signal, listener);
  };
}

function kill(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** A text that is written as it is made, some of it at a time. */
type Pieces = {
  readonly add: (text: string) => void;
  /** Writes what has not been written yet. */
  readonly flush: () => void;
};

/** Characters that are written at once: line by line costs half the time of a large document. */
const PIECE = 64 * 1024;

export function piecesOn(sink: TextSink): Pieces {
  let waiting = "";
  const flush = (): void => {
    if (waiting !== "") sink.write(waiting);
    waiting = "";
  };
  const add = (text: string): void => {
    waiting += text;
    if (waiting.length >= PIECE) flush();
  };
  return { add, flush };
}
