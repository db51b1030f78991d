import { type JsonObject, type JsonValue, suggest } from "@uncaged/json-cas";
import { err, ok, type Result } from "@uncaged/workflow-protocol";
import type { WorkflowConfig } from "@uncaged/workflow-store";
import { createRedactor } from "@uncaged/workflow-util";

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
  /** Called with everything that arrives; for heartbeats. */
  readonly onActivity: () => void;
  readonly signal: AbortSignal;
};

export type ChatRequest = {
  /** In the form of the API: `{role: "user", content}`, … */
  readonly messages: readonly JsonObject[];
  /** In the form of the API; none: []. */
  readonly tools: readonly JsonObject[];
  /** `none`: no tool may be called although tools are listed. `null`: the model decides. */
  readonly toolChoice: "none" | null;
  /** `json`: a JSON object at once; `stream`: whatever the model says, as it says it. */
  readonly mode: "json" | "stream";
  /** Further members of the request, such as `max_tokens`. */
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

/** Parts of the API that some servers do not support. */
export type Features = {
  readonly stream: boolean;
  /** `stream_options.include_usage`. */
  readonly usage: boolean;
  readonly jsonMode: boolean;
};

export function featuresOf({ mode }: ChatRequest): Features {
  return { stream: mode === "stream", usage: mode === "stream", jsonMode: mode === "json" };
}

/** The features without the one that the server has just refused; `null` when it refused none of them. */
export function withoutRefused(features: Features, { status, reason }: ChatFailure): Features | null {
  if (status !== 400 && status !== 422) return null;
  if (features.jsonMode && /response_format|json_object|json mode/i.test(reason))
    return { ...features, jsonMode: false };
  if (features.usage && /stream_options|include_usage/i.test(reason)) return { ...features, usage: false };
  // Not the stream of some other thing: `upstream`, `stream_x`.
  if (features.stream && /\bstream(?:ing)?\b/i.test(reason))
    return { ...features, stream: false, usage: false };
  return null;
}

type Env = Readonly<Record<string, string | undefined>>;

const NO_CONFIG = "there is no config.yaml; `uwf setup --help` shows how to write one";
const NO_MODEL = "config.yaml names no model: set defaultModel; `uwf setup --help` shows how";

/**
 * The model for extraction: modelOverrides.extract, else a model named `extract`, else defaultModel. Or why there
 * is none.
 */
export function extractModel(config: WorkflowConfig | null, env: Env): Result<ChatModel, string> {
  if (config === null) return err(NO_CONFIG);
  const named = own(config.models, "extract") === null ? null : "extract";
  const alias = own(config.modelOverrides, "extract") ?? named ?? config.defaultModel;
  return alias === null ? err(NO_MODEL) : modelNamed(config, alias, env);
}

/** The requested alias, else the first existing one of modelOverrides, else defaultModel. Or why there is none. */
export function chosenAlias(
  config: WorkflowConfig | null,
  wanted: string | null,
  overrides: readonly string[],
): Result<{ readonly config: WorkflowConfig; readonly alias: string }, string> {
  if (config === null) return err(NO_CONFIG);
  const override = overrides.map((key) => own(config.modelOverrides, key)).find((alias) => alias !== null);
  const alias = wanted ?? override ?? config.defaultModel;
  return alias === null ? err(NO_MODEL) : ok({ config, alias });
}

/** A model of config.yaml with its provider's key, or why it cannot be used. */
export function modelNamed(config: WorkflowConfig, alias: string, env: Env): Result<ChatModel, string> {
  const model = own(config.models, alias);
  if (model === null) {
    const meant = suggest(alias, Object.keys(config.models));
    return err(`config.yaml has no model ${alias}${meant === null ? "" : `, did you mean "${meant}"?`}`);
  }
  const provider = own(config.providers, model.provider);
  if (provider === null)
    return err(`config.yaml has no provider ${model.provider}, which model ${alias} names`);
  const { baseUrl, apiKeyEnv } = provider;
  if (apiKeyEnv === null) return ok({ name: model.name, baseUrl, apiKey: null, conceal: (text) => text });
  const apiKey = env[apiKeyEnv];
  if (!apiKey)
    return err(`${apiKeyEnv} is not set: put it into .env of the storage root, or set the variable`);
  const { text: conceal } = createRedactor([{ name: apiKeyEnv, value: apiKey }]);
  return ok({ name: model.name, baseUrl, apiKey, conceal });
}

function own<T>(record: Readonly<Record<string, T>>, key: string): T | null {
  return Object.hasOwn(record, key) ? (record[key] ?? null) : null;
}
