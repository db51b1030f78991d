import type { JsonObject, JsonValue } from "@uncaged/json-cas";
import type { Result, Why } from "@uncaged/workflow-protocol";
import type { Env } from "../host/index.js";

/** Where config.yaml and `.env` are found: the process's environment, working directory and home. */
export type ModelPlace = { readonly env: Env; readonly cwd: string; readonly home: string | null };

/** Which model of config.yaml. */
export type ModelChoice = {
  /** An alias; `null`: the first of `overrides` that modelOverrides has, else defaultModel. */
  readonly alias: string | null;
  readonly overrides: readonly string[];
};

/** A model behind an OpenAI-compatible endpoint, ready to be asked. The key never leaves it. */
export type OpenModel = {
  readonly alias: string;
  /** As the provider calls it. */
  readonly name: string;
  readonly provider: string;
  readonly baseUrl: string;
  /** The variable that holds the key; `null`: the provider asks for none. */
  readonly keyName: string | null;
  /**
   * One chat completion, streamed, repeated while its failure is transient (429, 5xx, a broken connection). Keys are
   * taken out of what is sent and of what is answered.
   */
  readonly complete: (request: CompletionRequest) => Promise<Result<Completion, CompletionFailure>>;
  /** Puts `[redacted:NAME]` in the place of keys. */
  readonly conceal: (text: string) => string;
  /** The variables of an environment that hold no key and stand not in `.env` of the storage root: for children. */
  readonly withoutKeys: (env: Env) => Readonly<Record<string, string>>;
};

export type CompletionRequest = {
  /** In the form of the API: `{role: "user", content}`, … */
  readonly messages: readonly JsonObject[];
  /** In the form of the API; none: []. */
  readonly tools: readonly JsonObject[];
  /** `none`: no tool may be called although tools are listed. `null`: the model decides. */
  readonly toolChoice: "none" | null;
  /** Further members of the request, such as `max_tokens`. */
  readonly more: JsonObject;
  /** One try with its whole answer, in ms. */
  readonly timeoutMs: number;
  /** The longest silence of the server, in ms. */
  readonly idleMs: number;
  readonly signal: AbortSignal;
  /** Called with everything that arrives; for heartbeats. */
  readonly onActivity: () => void;
};

export type Completion = {
  readonly text: string;
  readonly toolCalls: readonly CompletionToolCall[];
  /** `null`: not told. */
  readonly tokens: { readonly input: number; readonly output: number } | null;
  readonly costUsd: number | null;
  /** `stop`, `tool_calls`, `length`, …; `null`: not told. */
  readonly finish: string | null;
  /** Why this is no whole answer (cut off, withheld, refused), as a clause; `null` when it is one. */
  readonly unfinished: string | null;
};

export type CompletionToolCall = {
  readonly id: string;
  readonly name: string;
  /** `null` when they are no JSON. */
  readonly arguments: JsonValue;
  /** As they came. */
  readonly raw: string;
  /** The call in the form of the API, to be sent back: some servers miss what they said in it. */
  readonly whole: JsonObject;
};

export type CompletionFailure = {
  /** A sentence without its end, without keys. */
  readonly reason: string;
  /** HTTP status; `null`: no answer came. */
  readonly status: number | null;
  /** Why, as a fault says it. */
  readonly why: Why;
};
