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
  /** One request with its complete answer, in ms. */
  readonly timeoutMs: number;
  /** The longest silence within one request, in ms. */
  readonly idleMs: number;
  /** The longest time within one request without a piece of the answer, in ms: keep-alives and half lines are none. */
  readonly wordlessMs: number;
  /** Called with everything that arrives. */
  readonly onActivity: () => void;
  readonly signal: AbortSignal;
};

export type ChatRequest = {
  readonly messages: readonly JsonObject[];
  readonly tools: readonly JsonObject[];
  /** `null`: the server's own choice. */
  readonly toolChoice: "none" | null;
  /** `json`: a JSON object at once; `stream`: whatever the model says, as it says it. */
  readonly mode: "json" | "stream";
  /** Further members of the request. */
  readonly more: JsonObject;
};

export type ToolCall = {
  readonly id: string;
  readonly name: string;
  /** `null` when they are no JSON. */
  readonly arguments: JsonValue;
  /** The arguments as they came. */
  readonly raw: string;
};

export type ChatReply = {
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  /** The message as it came, to be sent back in the next round. */
  readonly message: JsonObject;
  readonly tokens: { readonly input: number; readonly output: number } | null;
  /** Few servers report it. */
  readonly costUsd: number | null;
  /** `stop`, `tool_calls`, `length`, `content_filter`, …; `null` when the server does not say. */
  readonly finish: string | null;
  /** What the model said instead of an answer. */
  readonly refusal: string | null;
};

export type ChatFailure = {
  readonly reason: string;
  /** HTTP status, or the one an answer of 200 names inside; `null`: no answer came. */
  readonly status: number | null;
  /** Whether the same request is worth another try in a moment. */
  readonly transient: boolean;
  /** What the server asks to wait, in ms; `null` when it does not say. */
  readonly retryAfterMs: number | null;
  /** An answer had begun: its cost is unknown. */
  readonly begun: boolean;
};
