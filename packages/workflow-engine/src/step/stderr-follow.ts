import { closeSync, fstatSync, readSync } from "node:fs";
import { openRunFile } from "@uncaged/workflow-store";
import { type Redactor, sanitizeStream, type TextStream } from "@uncaged/workflow-util";
import type { TextSink } from "../host.js";

/** Bytes shown at once: time limits and signals are handled in between. */
const MOST_AT_ONCE = 1024 * 1024;

type Follower = {
  /** Shows the new output. */
  readonly show: () => void;
  /** Shows the rest and ends its last line: what follows is uwf's. */
  readonly finish: () => void;
};

/** For a program that reads our stderr: a failure includes the end of the agent's stderr. */
export const UNSEEN: Follower = { show: () => {}, finish: () => {} };

/**
 * Shows an agent's stderr file as it grows; if it grows too fast, only the end. Terminal codes are removed before keys:
 * a code in the middle of a key must not hide it.
 */
export function followStderr(path: string, sink: Pick<TextSink, "write">, redactor: Redactor): Follower {
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
      // The text held back so far continues in bytes that are skipped.
      text = cleanedBy(redactor);
      say(`${atLineStart ? "" : "\n"}[${skipped} bytes of the agent's stderr are not shown]\n`);
      say(text.pushCut(bytes));
    }
  };
  const finish = (): void => {
    show();
    say(text.flush());
    // uwf's own messages begin on a new line.
    if (!atLineStart) say("\n");
  };
  return { show, finish };
}

type Cleaned = {
  readonly push: (bytes: Uint8Array) => string;
  /** For bytes after a gap: they may begin in the middle of a character or of a key. */
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
