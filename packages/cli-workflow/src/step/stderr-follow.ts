import { closeSync, openSync, readSync } from "node:fs";
import { type Redactor, sanitizeStream } from "@uncaged/workflow-util";
import type { TextSink } from "../io/index.js";

const CHUNK = 64 * 1024;

export type Follower = {
  /** Shows what is new. */
  readonly show: () => void;
  /** Shows the rest, and ends its last line: what follows is not the agent's. */
  readonly finish: () => void;
};

/** For a program that reads our stderr: it gets the agent's last words with the failure. */
export const UNSEEN: Follower = { show: () => {}, finish: () => {} };

/**
 * Shows what an agent writes to its stderr file as it grows. Terminal codes go first and keys after that: a code in the
 * middle of a key must not hide it.
 */
export function followStderr(path: string, sink: TextSink, redactor: Redactor): Follower {
  const decoder = new TextDecoder();
  const plain = sanitizeStream();
  const clean = redactor.stream();
  let offset = 0;
  let atLineStart = true;
  const say = (text: string): void => {
    if (text === "") return;
    sink.write(text);
    atLineStart = text.endsWith("\n");
  };
  const show = (): void => {
    for (let chunk = readFrom(path, offset); chunk !== null; chunk = readFrom(path, offset)) {
      offset += chunk.length;
      say(clean.push(plain.push(decoder.decode(chunk, { stream: true }))));
    }
  };
  const finish = (): void => {
    show();
    say(clean.push(plain.push(decoder.decode()) + plain.flush()) + clean.flush());
    // What uwf itself has to say begins on a line of its own.
    if (!atLineStart) say("\n");
  };
  return { show, finish };
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
