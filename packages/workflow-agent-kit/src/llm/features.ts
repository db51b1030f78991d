import type { ChatFailure, ChatRequest } from "./types.js";

/** What not every server knows. */
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
