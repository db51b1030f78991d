import type { JsonValue } from "@uncaged/json-cas";
import { err, LIMITS, ok, type Result } from "@uncaged/workflow-protocol";
import { retryAfterMs } from "./retry.js";
import type { ChatFailure, ChatModel, ChatPort } from "./types.js";

export type HttpAnswer = {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly retryAfterMs: number | null;
};

/** One request and its whole answer, within the time and size limits. Never names the key. */
export async function exchange(
  model: ChatModel,
  payload: JsonValue,
  port: ChatPort,
): Promise<Result<HttpAnswer, ChatFailure>> {
  const unusable = unusableKey(model.apiKey);
  if (unusable !== null) return err(unusable);
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), port.timeoutMs);
  const signal = AbortSignal.any([limit.signal, port.signal]);
  try {
    return await send(model, payload, port, signal);
  } catch (error) {
    return err(unreached(model, error, limit.signal.aborted ? port.timeoutMs : null));
  } finally {
    clearTimeout(timer);
  }
}

async function send(
  model: ChatModel,
  payload: JsonValue,
  port: ChatPort,
  signal: AbortSignal,
): Promise<Result<HttpAnswer, ChatFailure>> {
  const headers: Record<string, string> = { "content-type": "application/json", accept: "application/json" };
  if (model.apiKey !== null) headers.authorization = `Bearer ${model.apiKey}`;
  const url = `${model.baseUrl.replace(/\/+$/, "")}/chat/completions`;
  // A redirect would turn POST into GET, or carry the key elsewhere.
  const request = {
    method: "POST",
    headers,
    body: JSON.stringify(payload),
    redirect: "manual",
    signal,
  } as const;
  const response = await port.fetch(url, request);
  const body = await readBody(response);
  if (body === null) {
    return err(plainFailure(`the answer is larger than ${LIMITS.llmResponse} bytes`, response.status));
  }
  const type = response.headers.get("content-type") ?? "";
  const wait = retryAfterMs(response.headers.get("retry-after"), port.now());
  // Before anybody parses it: an answer that repeats the key would carry it into violations, logs and nodes.
  const clean = model.conceal(body);
  return ok({ status: response.status, type, body: clean, retryAfterMs: wait });
}

/** `null` when the body is larger than the limit. */
async function readBody(response: Response): Promise<string | null> {
  if (response.body === null) return "";
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = response.body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.byteLength;
    if (size > LIMITS.llmResponse) {
      await reader.cancel();
      return null;
    }
    chunks.push(part.value);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

function unusableKey(key: string | null): ChatFailure | null {
  if (key === null || /^[\x21-\x7e]+$/.test(key)) return null;
  return plainFailure("the API key is empty or holds characters that no HTTP header can carry", null);
}

export function plainFailure(reason: string, status: number | null): ChatFailure {
  return { reason, status, transient: false, retryAfterMs: null };
}

function unreached(model: ChatModel, error: unknown, timeoutMs: number | null): ChatFailure {
  const reason =
    timeoutMs === null
      ? `${model.baseUrl} could not be reached: ${causeOf(error)}`
      : `${model.baseUrl} gave no answer within ${timeoutMs / 1000} s`;
  // Waiting out the whole limit once more would only double the time.
  const transient = timeoutMs === null;
  return { reason: model.conceal(reason), status: null, transient, retryAfterMs: null };
}

/** `ECONNREFUSED` where there is a code: fetch's own message says only that it failed. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const inner = error.cause instanceof Error ? error.cause : error;
  return "code" in inner && typeof inner.code === "string" ? inner.code : inner.message;
}
