import { closeSync, openSync, readSync } from "node:fs";
import { sanitizeTerminal } from "@uncaged/workflow-util";
import type { TextSink } from "../io/index.js";

const CHUNK = 64 * 1024;

/** Shows what an agent writes to its stderr file as it grows. Each call of the result shows what is new. */
export function followStderr(path: string, sink: TextSink): () => void {
  const decoder = new TextDecoder();
  let offset = 0;
  return () => {
    for (let chunk = readFrom(path, offset); chunk !== null; chunk = readFrom(path, offset)) {
      offset += chunk.length;
      sink.write(sanitizeTerminal(decoder.decode(chunk, { stream: true })));
    }
  };
}

function readFrom(path: string, offset: number): Uint8Array | null {
  let fd: number;
  try {
    fd = openSync(path, "r");
  } catch {
    return null; // The agent has not been started yet.
  }
  try {
    const buffer = new Uint8Array(CHUNK);
    const length = readSync(fd, buffer, 0, CHUNK, offset);
    return length === 0 ? null : buffer.subarray(0, length);
  } finally {
    closeSync(fd);
  }
}
