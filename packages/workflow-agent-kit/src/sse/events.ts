import { type JsonValue, parseLenientJson } from "@uncaged/json-cas";

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
export function createEvents(onEvent: (event: StreamEvent) => void): Events {
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
