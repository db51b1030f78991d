import { type JsonValue, parseLenientJson } from "@uncaged/json-cas";
import { createAssembler } from "./reply.js";

/** One event of a stream, after the gate. */
export type StreamEvent =
  | { readonly kind: "data"; readonly name: string; readonly value: JsonValue }
  | { readonly kind: "done" }
  | { readonly kind: "malformed"; readonly text: string };

/** What arrives for one request, be it one JSON text or a stream of events. */
export type Body = {
  readonly push: (bytes: Uint8Array) => void;
  /** `finished`: all of the answer is there, and something about it may follow. `closed`: nothing more is wanted. */
  readonly state: () => "open" | "finished" | "closed";
  /** The text as received; for a stream, the completion as one JSON text. `null` if there is too much of it. */
  readonly text: () => string | null;
  /** What there is too much of, as the end of a sentence; `null`: nothing. */
  readonly excess: () => string | null;
  /** How many pieces of the answer have arrived; keep-alives, empty deltas and half lines do not count. */
  readonly words: () => number;
  /** Whether it is a stream that has begun to answer. */
  readonly streamed: () => boolean;
};

const LINE_END = /\r\n|[\r\n]/;

type Events = {
  readonly push: (bytes: Uint8Array) => void;
  readonly finish: () => void;
  /** Characters of a line and an event that are not complete yet. */
  readonly waiting: () => number;
  /** Lines that have ended. */
  readonly lines: () => number;
};

/**
 * Reads server-sent events: comments are passed over, lines end in LF, CRLF or CR, characters may be cut anywhere. A
 * `data` line that is JSON by itself is an event at once: some servers leave out the empty lines in between.
 */
function createEvents(onEvent: (event: StreamEvent) => void): Events {
  const decoder = new TextDecoder();
  let line: string[] = [];
  let data: string[] = [];
  let name = "";
  let heldBack = "";
  let waiting = 0;
  let held = 0;
  let lines = 0;

  function take(text: string): void {
    const whole = heldBack + text;
    // A CR at the end may be half of a CRLF.
    heldBack = whole.endsWith("\r") ? "\r" : "";
    const parts = (heldBack === "" ? whole : whole.slice(0, -1)).split(LINE_END);
    for (const [index, part] of parts.entries()) {
      if (index > 0) endLine();
      line.push(part);
      waiting += part.length;
    }
  }

  function endLine(): void {
    const text = line.join("");
    line = [];
    lines += 1;
    if (text === "") dispatch();
    else field(text);
    waiting = held;
  }

  function field(text: string): void {
    const colon = text.indexOf(":");
    const key = colon === -1 ? text : text.slice(0, colon);
    const value = colon === -1 ? "" : text.slice(colon + 1).replace(/^ /, "");
    if (key === "event") name = value;
    if (key !== "data") return;
    const event = data.length === 0 ? eventOf(value, name) : null;
    if (event !== null) {
      onEvent(event);
      return;
    }
    data.push(value);
    // An empty line takes room, too.
    held += value.length + 1;
  }

  function dispatch(): void {
    const text = data.join("\n");
    if (text.trim() !== "") onEvent(eventOf(text, name) ?? { kind: "malformed", text });
    data = [];
    held = 0;
    name = "";
  }

  function finish(): void {
    take(decoder.decode());
    if (heldBack !== "") heldBack = "";
    endLine();
    dispatch();
  }

  return {
    push: (bytes) => take(decoder.decode(bytes, { stream: true })),
    finish,
    waiting: () => waiting,
    lines: () => lines,
  };
}

/** `null` when the text is not JSON, not yet perhaps. */
function eventOf(text: string, name: string): StreamEvent | null {
  if (text.trim() === "[DONE]") return { kind: "done" };
  try {
    return { kind: "data", name, value: parseLenientJson(text) };
  } catch {
    return null;
  }
}

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
