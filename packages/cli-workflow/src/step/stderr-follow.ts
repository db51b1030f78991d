import { closeSync, fstatSync, readSync } from "node:fs";
import { openRunFile } from "@uncaged/workflow-store";
import { type Redactor, sanitizeStream, type TextStream } from "@uncaged/workflow-util";
import type { TextSink } from "../io.js";

/** Bytes that are shown of one look: time limits and signals have their turn between two. */
const MOST_AT_ONCE = 1024 * 1024;

export type Follower = {
  /** Shows what is new. */
  readonly show: () => void;
  /** Shows the rest, and ends its last line: what follows is not the agent's. */
  readonly finish: () => void;
};

/** For a program that reads our stderr: it gets the agent's last words with the failure. */
export const UNSEEN: Follower = { show: () => {}, finish: () => {} };

/**
 * Shows what an agent writes to its stderr file as it grows; of what comes faster than it can be shown only the end.
 * Terminal codes go first and keys after that: a code in the middle of a key must not hide it.
 */
export function followStderr(path: string, sink: TextSink, redactor: Redactor): Follower {
  let text = cleanedBy(redactor);
  let offset = 0;
  let atLineStart = true;
  const say = (shown: string): void => {
    if (shown === "") return;
    sink.write(shown);
    atLineStart = shown.endsWith("\n");
  };
  const show = (): void => {
    const { bytes, skipped } = readFrom(path, offset);
    if (bytes === null) return;
    offset += skipped + bytes.length;
    if (skipped === 0) {
      say(text.push(bytes));
    } else {
      // What is held back is the beginning of something that will not be shown.
      text = cleanedBy(redactor);
      say(`${atLineStart ? "" : "\n"}[${skipped} bytes of the agent's stderr are not shown]\n`);
      say(text.pushCut(bytes));
    }
  };
  const finish = (): void => {
    show();
    say(text.flush());
    // What uwf itself has to say begins on a line of its own.
    if (!atLineStart) say("\n");
  };
  return { show, finish };
}

type Cleaned = {
  readonly push: (bytes: Uint8Array) => string;
  /** For bytes before which others were left out: they may begin in the middle of a character or of a key. */
  readonly pushCut: (bytes: Uint8Array) => string;
  readonly flush: () => string;
};

function cleanedBy(redactor: Redactor): Cleaned {
  const decoder = new TextDecoder();
  const plain: TextStream = sanitizeStream();
  const clean = redactor.stream();
  const plainText = (bytes: Uint8Array): string => plain.push(decoder.decode(bytes, { stream: true }));
  return {
    push: (bytes) => clean.push(plainText(bytes)),
    pushCut: (bytes) => clean.push(redactor.uncut(plainText(bytes).replace(/^\ufffd{1,3}/, ""))),
    flush: () => clean.push(plain.push(decoder.decode()) + plain.flush()) + clean.flush(),
  };
}

type Read = { readonly bytes: Uint8Array | null; readonly skipped: number };

const NOTHING: Read = { bytes: null, skipped: 0 };

function readFrom(path: string, offset: number): Read {
  const fd = openRunFile(path);
  if (fd === null) return NOTHING;
  try {
    const fresh = Math.max(0, fstatSync(fd).size - offset);
    const skipped = Math.max(0, fresh - MOST_AT_ONCE);
    const buffer = new Uint8Array(fresh - skipped);
    const length = readSync(fd, buffer, 0, buffer.length, offset + skipped);
    return length === 0 ? NOTHING : { bytes: buffer.subarray(0, length), skipped };
  } finally {
    closeSync(fd);
  }
}
