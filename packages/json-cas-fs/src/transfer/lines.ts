import { readSync } from "node:fs";
import { guarded } from "../files/index.js";
import { refuse } from "./error.js";

const NEWLINE = 10;
const CHUNK = 256 * 1024;

export type Line = {
  /** From 1. */
  readonly number: number;
  /** Where it begins in the file. */
  readonly offset: number;
  readonly bytes: Uint8Array;
};

/** The lines of an open file from an offset on, without their newlines. In memory is one line, at most `limit` bytes. */
export function* exportLines(fd: number, file: string, from: number, limit: number): Generator<Line> {
  let pieces: Uint8Array[] = [];
  let [length, offset, position, number] = [0, from, from, 1];
  for (;;) {
    const chunk = Buffer.allocUnsafe(CHUNK);
    const read = guarded("read", file, () => readSync(fd, chunk, 0, CHUNK, position));
    if (read === 0) break;
    position += read;
    for (let start = 0; start < read; ) {
      const end = chunk.subarray(0, read).indexOf(NEWLINE, start);
      const piece = chunk.subarray(start, end === -1 ? read : end);
      length += piece.length;
      if (length > limit) refuse(number, `it is longer than ${limit} bytes`);
      pieces.push(piece);
      if (end === -1) break;
      yield { number, offset, bytes: pieces.length === 1 ? piece : Buffer.concat(pieces) };
      offset += length + 1;
      [pieces, length, number, start] = [[], 0, number + 1, end + 1];
    }
  }
  if (length > 0) refuse(number, "it is cut short");
}
