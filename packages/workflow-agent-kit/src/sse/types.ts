import type { JsonValue } from "@uncaged/json-cas";

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
  /** The text as it came; of a stream, the completion as one JSON text. `null` where it is too large. */
  readonly text: () => string | null;
  /** Whether it is a stream that has begun to answer. */
  readonly streamed: () => boolean;
};
