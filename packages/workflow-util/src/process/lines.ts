import type { Sink } from "./types.js";

const LF = 10;
const CR = 13;

export type Lines = { readonly push: Sink; readonly finish: () => void };

/** Splits bytes into lines (LF or CRLF) and decodes each as a whole; a line keeps its first `limitBytes`. */
export function createLines(limitBytes: number, onLine: (line: string) => void): Lines {
  let parts: Uint8Array[] = [];
  let size = 0;

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
    // An empty line is told without a look: there may be millions.
    onLine(end === from ? "" : bytes.toString("utf8", from, bytes[end - 1] === CR ? end - 1 : end));
  }

  function push(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    let from = 0;
    for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, from)) {
      // Most lines stand in one chunk as a whole.
      if (size === 0) tell(bytes, from, Math.min(at, from + limitBytes));
      else {
        keep(bytes.subarray(from, at));
        emit();
      }
      from = at + 1;
    }
    keep(bytes.subarray(from));
  }

  return { push, finish: () => (size > 0 ? emit() : undefined) };
}
