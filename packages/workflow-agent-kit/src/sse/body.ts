import { createAssembler } from "./assemble.js";
import type { Body } from "./events.js";
import { createEvents } from "./events.js";

/** A token comes in a chunk of 200 to 400 bytes, and a keep-alive holds nothing. */
const STREAM_FACTOR = 64;

/** Reads an answer of at most `limit` bytes, whatever its server calls it: a stream shows in its first characters. */
export function createBody(limit: number): Body {
  let kept: Uint8Array[] = [];
  let size = 0;
  let reader: Body | null = null;
  const plain: Body = {
    push: () => {},
    state: () => (size > limit ? "closed" : "open"),
    text: () => (size > limit ? null : new TextDecoder().decode(Buffer.concat(kept))),
    streamed: () => false,
  };
  const push = (bytes: Uint8Array): void => {
    size += bytes.byteLength;
    if (reader !== null && reader !== plain) {
      reader.push(bytes);
      return;
    }
    if (size <= limit) kept.push(bytes);
    if (reader !== null) return;
    reader = chosen(Buffer.concat(kept).toString("latin1"), plain, limit);
    if (reader === null || reader === plain) return;
    reader.push(Buffer.concat(kept));
    kept = [];
  };
  const now = (): Body => reader ?? plain;
  return {
    push,
    state: () => now().state(),
    text: () => now().text(),
    streamed: () => now().streamed(),
  };
}

const FIELD = /^(?:data|event|id|retry)?:/;
const LONGEST_FIELD = 6;

/** `null` while too little of it is there. */
function chosen(begin: string, plain: Body, limit: number): Body | null {
  const text = begin.replace(/^\xef\xbb\xbf/, "").trimStart();
  if (FIELD.test(text)) return createStream(limit);
  return text.length < LONGEST_FIELD && /^[a-z]*$/.test(text) ? null : plain;
}

function createStream(limit: number): Body {
  const assembler = createAssembler();
  const events = createEvents(assembler.take);
  let size = 0;
  const tooLarge = (): boolean =>
    size > limit * STREAM_FACTOR || assembler.size() > limit || events.waiting() > limit;
  return {
    push: (bytes) => {
      size += bytes.byteLength;
      if (!tooLarge()) events.push(bytes);
    },
    state: () => (tooLarge() ? "closed" : assembler.state()),
    text: () => {
      if (tooLarge()) return null;
      events.finish();
      return JSON.stringify(assembler.whole());
    },
    streamed: () => true,
  };
}
