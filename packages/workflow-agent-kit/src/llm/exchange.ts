import type { JsonValue } from "@uncaged/json-cas";
import { err, LIMITS, ok, type Result } from "@uncaged/workflow-protocol";
import { createBody } from "../sse/index.js";
import { retryAfterMs } from "./retry.js";
import type { ChatFailure, ChatModel, ChatPort } from "./types.js";
import { startWatch, type Watch } from "./watch.js";

export type HttpAnswer = {
  readonly status: number;
  readonly type: string;
  /** Of a stream: the body that the server would have sent without one. */
  readonly body: string;
  readonly retryAfterMs: number | null;
  /** A stream had begun to answer. */
  readonly begun: boolean;
};

/** One request and its whole answer, within the time and size limits. Never names the key. */
export async function exchange(
  model: ChatModel,
  payload: JsonValue,
  port: ChatPort,
): Promise<Result<HttpAnswer, ChatFailure>> {
  const unusable = unusableKey(model.apiKey);
  if (unusable !== null) return err(unusable);
  const watch = startWatch(port);
  try {
    return await send(model, payload, port, watch);
  } catch (error) {
    return err(unreached(model, error, watch));
  } finally {
    watch.close();
  }
}

async function send(
  model: ChatModel,
  payload: JsonValue,
  port: ChatPort,
  watch: Watch,
): Promise<Result<HttpAnswer, ChatFailure>> {
  const headers: Record<string, string> = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  if (model.apiKey !== null) headers.authorization = `Bearer ${model.apiKey}`;
  const url = `${model.baseUrl.replace(/\/+$/, "")}/chat/completions`;
  // A redirect would turn POST into GET, or carry the key elsewhere.
  const request = {
    method: "POST",
    headers,
    body: JSON.stringify(payload),
    redirect: "manual",
    signal: watch.signal,
  } as const;
  const response = await port.fetch(url, request);
  const read = await readBody(response, watch);
  if (read === null) {
    return err(plainFailure(`the answer is larger than ${LIMITS.llmResponse} bytes`, response.status));
  }
  const type = response.headers.get("content-type") ?? "";
  const wait = retryAfterMs(response.headers.get("retry-after"), port.now());
  // Before anybody parses it: an answer that repeats the key would carry it into violations, logs and nodes.
  const body = model.conceal(read.text);
  return ok({ status: response.status, type, body, retryAfterMs: wait, begun: read.begun });
}

/** `null` when the body is larger than the limit. */
async function readBody(
  response: Response,
  watch: Watch,
): Promise<{ readonly text: string; readonly begun: boolean } | null> {
  const body = createBody(LIMITS.llmResponse);
  const reader = response.body?.getReader() ?? null;
  try {
    while (reader !== null && body.state() !== "closed") {
      const part = await reader.read();
      if (part.done) break;
      body.push(part.value);
      watch.beat(body.state() === "finished");
    }
  } catch (error) {
    // What a server does after its last word is of no interest.
    if (body.state() === "open") throw error;
  }
  if (body.state() === "closed") void reader?.cancel().catch(() => {});
  const text = body.text();
  return text === null ? null : { text, begun: body.streamed() };
}

function unusableKey(key: string | null): ChatFailure | null {
  if (key === null || /^[\x21-\x7e]+$/.test(key)) return null;
  return plainFailure("the API key is empty or holds characters that no HTTP header can carry", null);
}

export function plainFailure(reason: string, status: number | null): ChatFailure {
  return { reason, status, transient: false, retryAfterMs: null, begun: false };
}

function unreached(model: ChatModel, error: unknown, watch: Watch): ChatFailure {
  const expired = watch.expired();
  const reason =
    expired === null
      ? `${model.baseUrl} could not be reached: ${causeOf(error)}`
      : `${model.baseUrl} ${expired}`;
  // Waiting out the whole limit once more would only double the time.
  const transient = expired === null;
  return { reason: model.conceal(reason), status: null, transient, retryAfterMs: null, begun: watch.begun() };
}

/** `ECONNREFUSED` where there is a code: fetch's own message says only that it failed. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const inner = error.cause instanceof Error ? error.cause : error;
  return "code" in inner && typeof inner.code === "string" ? inner.code : inner.message;
}
