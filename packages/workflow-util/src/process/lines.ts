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
    onLine(line.subarray(0, line.at(-1) === CR ? -1 : line.length).toString("utf8"));
  }

  function push(chunk: Uint8Array): void {
    let from = 0;
    for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, from)) {
      keep(chunk.subarray(from, at));
      emit();
      from = at + 1;
    }
    keep(chunk.subarray(from));
  }

  return { push, finish: () => (size > 0 ? emit() : undefined) };
}
