import { isUtf8 } from "node:buffer";
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { guarded } from "./failure.js";
import type { ChildOutput, OpenOutput, Sink } from "./types.js";

const LF = 10;
const CR = 13;

type Lines = {
  readonly push: Sink;
  readonly finish: () => void;
  /** Of the lines so far. */
  readonly isUtf8: () => boolean;
};

/** Splits bytes into lines (LF or CRLF) and decodes each as a unit; a line keeps its first `limitBytes`. */
export function createLines(limitBytes: number, onLine: (line: string) => void): Lines {
  let parts: Uint8Array[] = [];
  let size = 0;
  let isSound = true;

  function keep(part: Uint8Array): void {
    const room = part.subarray(0, Math.max(0, limitBytes - size));
    if (room.length === 0) return;
    // A copy: the runtime may use the chunk's memory again.
    parts.push(Uint8Array.from(room));
    size += room.length;
  }

  function emit(): void {
    const line = Buffer.concat(parts, size);
    parts = [];
    size = 0;
    tell(line, 0, line.length);
  }

  function tell(bytes: Buffer, from: number, end: number): void {
    isSound &&= isUtf8(bytes.subarray(from, end));
    // An empty line is reported without decoding: there may be millions.
    onLine(end === from ? "" : bytes.toString("utf8", from, bytes[end - 1] === CR ? end - 1 : end));
  }

  function push(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    let from = 0;
    for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, from)) {
      // Most lines are complete within one chunk.
      if (size === 0) tell(bytes, from, Math.min(at, from + limitBytes));
      else {
        keep(bytes.subarray(from, at));
        emit();
      }
      from = at + 1;
    }
    keep(bytes.subarray(from));
  }

  return { push, finish: () => (size > 0 ? emit() : undefined), isUtf8: () => isSound };
}

const FIRST_BYTES = 16 * 1024;

type Tail = { readonly push: Sink; readonly text: () => string };

/** Keeps the last `limitBytes` of a stream in at most twice that memory; each byte is moved a constant number of times. */
export function createTail(limitBytes: number): Tail {
  let buffer = Buffer.alloc(Math.min(FIRST_BYTES, limitBytes * 2));
  let length = 0;
  let cut = false;

  function makeRoom(bytes: number): void {
    if (length + bytes <= buffer.length) return;
    const keep = Math.min(length, Math.max(0, limitBytes - bytes));
    if (length + bytes > limitBytes * 2) {
      buffer.copyWithin(0, length - keep, length);
      cut ||= keep < length;
      length = keep;
    }
    if (length + bytes > buffer.length) {
      const grown = Buffer.alloc(Math.min(limitBytes * 2, Math.max(length + bytes, buffer.length * 2)));
      buffer.copy(grown, 0, 0, length);
      buffer = grown;
    }
  }

  function push(chunk: Uint8Array): void {
    const part = chunk.length > limitBytes ? chunk.subarray(chunk.length - limitBytes) : chunk;
    makeRoom(part.length);
    cut ||= part.length < chunk.length;
    buffer.set(part, length);
    length += part.length;
  }

  function text(): string {
    const from = Math.max(0, length - limitBytes);
    return buffer
      .subarray(cut || from > 0 ? characterStart(buffer, from, length) : from, length)
      .toString("utf8");
  }

  return { push, text };
}

// The cut may fall into a character: its remaining bytes (10xxxxxx, at most three) are left out.
function characterStart(buffer: Buffer, from: number, end: number): number {
  let start = from;
  while (start < end && start < from + 3 && ((buffer[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return start;
}

/** Opens one of the child's outputs; throws system errors. `fail` gets what `onLine` throws. */
export function openOutput(output: ChildOutput, fail: (error: unknown) => void): OpenOutput {
  if (output.kind === "file") return openFile(output.path);
  return openMemory(output.limitBytes, output.onLine ? guarded(output.onLine, fail) : null);
}

// O_APPEND: nothing is overwritten, even if others write into the file.
function openFile(path: string): OpenOutput {
  const fd = openSync(path, "a", 0o600);
  return {
    channel: { kind: "fd", fd },
    size: () => fstatSync(fd).size,
    finish: () => null,
    isUtf8: () => true,
    close: () => closeSync(fd),
  };
}

function openMemory(limitBytes: number, onLine: ((line: string) => void) | null): OpenOutput {
  const tail = createTail(limitBytes);
  const lines = onLine === null ? null : createLines(limitBytes, onLine);
  let size = 0;
  return {
    channel: {
      kind: "pipe",
      sink: (chunk) => {
        size += chunk.length;
        tail.push(chunk);
        lines?.push(chunk);
      },
    },
    size: () => size,
    finish: () => {
      lines?.finish();
      return tail.text();
    },
    isUtf8: () => lines?.isUtf8() ?? true,
    close: () => {},
  };
}

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
