import type { Sink } from "./types.js";

const FIRST_BYTES = 16 * 1024;

export type Tail = { readonly push: Sink; readonly text: () => string };

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
