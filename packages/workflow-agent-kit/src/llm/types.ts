import type { JsonObject, JsonValue } from "@uncaged/json-cas";

/** A chat model behind an OpenAI-compatible endpoint. */
export type ChatModel = {
  readonly name: string;
  /** Without the trailing slash; `/chat/completions` follows. */
  readonly baseUrl: string;
  /** `null`: the endpoint asks for none. */
  readonly apiKey: string | null;
  /** Takes the key out of a text that others wrote. */
  readonly conceal: (text: string) => string;
};

/** The world outside; tests bring their own. */
export type ChatPort = {
  readonly fetch: typeof fetch;
  /** Resolves after `ms`, or as soon as `signal` aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Epoch ms. */
  readonly now: () => number;
  /** One request with its whole answer, in ms. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
};

export type ChatRequest = {
  readonly messages: readonly JsonObject[];
  readonly tools: readonly JsonObject[];
};

export type ToolCall = { readonly id: string; readonly name: string; readonly arguments: JsonValue };

export type ChatReply = {
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  /** The message as it came, to be sent back in the next round. */
  readonly message: JsonObject;
  readonly tokens: { readonly input: number; readonly output: number } | null;
};

export type ChatFailure = {
  readonly reason: string;
  /** HTTP status, or the one an answer of 200 names inside; `null`: no answer came. */
  readonly status: number | null;
  /** Whether the same request is worth another try in a moment. */
  readonly transient: boolean;
  /** What the server asks to wait, in ms; `null` when it does not say. */
  readonly retryAfterMs: number | null;
};
