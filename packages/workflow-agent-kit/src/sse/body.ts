import { createAssembler } from "./assemble.js";
import type { Body } from "./events.js";
import { createEvents } from "./events.js";

/** A token comes in a chunk of 200 to 400 bytes, and a keep-alive holds nothing. */
const STREAM_FACTOR = 64;

/** An answer of a million tokens has two lines for each. */
const MOST_LINES = 2_000_000;

/** Servers send an empty delta for what the model thinks in secret, and a comment now and then. */
const MOST_WITHOUT_WORDS = 100_000;

/** Bytes that come in pieces of any size. */
function createBytes() {
  let room = Buffer.alloc(0);
  let size = 0;
  return {
    size: () => size,
    add: (piece: Uint8Array): void => {
      if (size + piece.byteLength > room.length) {
        const larger = Buffer.alloc(2 * (size + piece.byteLength));
        room.copy(larger, 0, 0, size);
        room = larger;
      }
      room.set(piece, size);
      size += piece.byteLength;
    },
    all: () => room.subarray(0, size),
  };
}

/** Reads an answer of at most `limit` bytes, whatever its server calls it: a stream shows in its first characters. */
export function createBody(limit: number): Body {
  const kept = createBytes();
  let isTooLarge = false;
  let begin = "";
  let reader: Body | null = null;
  const plain: Body = {
    push: (bytes) => {
      isTooLarge ||= kept.size() + bytes.byteLength > limit;
      if (!isTooLarge) kept.add(bytes);
    },
    state: () => (isTooLarge ? "closed" : "open"),
    text: () => (isTooLarge ? null : new TextDecoder().decode(kept.all())),
    excess: () => (isTooLarge ? tooLarge(limit) : null),
    words: () => 0,
    streamed: () => false,
  };
  const push = (bytes: Uint8Array): void => {
    if (reader !== null) {
      reader.push(bytes);
      return;
    }
    begin = `${begin}${Buffer.from(bytes).toString("latin1")}`.replace(/^\xef\xbb\xbf/, "").trimStart();
    reader = chosen(begin, plain, limit);
    if (reader !== null && reader !== plain) reader.push(kept.all());
    now().push(bytes);
  };
  const now = (): Body => reader ?? plain;
  return {
    push,
    state: () => now().state(),
    text: () => now().text(),
    excess: () => now().excess(),
    words: () => now().words(),
    streamed: () => now().streamed(),
  };
}

function tooLarge(limit: number): string {
  return `is larger than ${limit} bytes`;
}

const FIELD = /^(?:data|event|id|retry)?:/;
const LONGEST_FIELD = 6;

/** `null` while too little of it is there. */
function chosen(begin: string, plain: Body, limit: number): Body | null {
  if (FIELD.test(begin)) return createStream(limit);
  return begin.length < LONGEST_FIELD && /^[a-z]*$/.test(begin) ? null : plain;
}

function createStream(limit: number): Body {
  const assembler = createAssembler();
  const events = createEvents(assembler.take);
  let size = 0;
  let words = 0;
  /** The lines before the last word. */
  let before = 0;
  const excess = (): string | null => {
    if (size > limit * STREAM_FACTOR || assembler.size() > limit || events.waiting() > limit)
      return tooLarge(limit);
    if (events.lines() > MOST_LINES) return `has more than ${MOST_LINES} lines`;
    return events.lines() - before > MOST_WITHOUT_WORDS
      ? `has more than ${MOST_WITHOUT_WORDS} lines without a word`
      : null;
  };
  return {
    push: (bytes) => {
      size += bytes.byteLength;
      if (excess() !== null) return;
      events.push(bytes);
      if (assembler.words() > words) before = events.lines();
      words = assembler.words();
    },
    state: () => (excess() === null ? assembler.state() : "closed"),
    text: () => {
      if (excess() !== null) return null;
      events.finish();
      return JSON.stringify(assembler.whole());
    },
    excess,
    words: assembler.words,
    streamed: () => true,
  };
}
