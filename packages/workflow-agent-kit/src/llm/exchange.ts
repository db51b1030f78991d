import type { JsonValue } from "@uncaged/json-cas";
import { err, LIMITS, ok, type Result } from "@uncaged/workflow-protocol";
import type { ChatFailure, ChatModel, ChatPort } from "./model.js";
import { type Body, createBody } from "./stream.js";

const MOST_TRIES = 4;
const FIRST_WAIT_MS = 1000;
/** Longer waits are not honoured: the step fails and can be repeated later. */
const LONGEST_WAIT_MS = 60_000;

/** `Retry-After` as ms from now: seconds or an HTTP date; `null` when absent or unreadable. */
function retryAfterMs(header: string | null, now: number): number | null {
  if (header === null) return null;
  const text = header.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/** What to wait before the next try, in ms; `null`: no further try. `tries` counts those made. */
export function nextWait(failure: ChatFailure, tries: number): number | null {
  if (!failure.transient || tries >= MOST_TRIES) return null;
  const wait = failure.retryAfterMs ?? FIRST_WAIT_MS * 2 ** (tries - 1);
  return wait > LONGEST_WAIT_MS ? null : wait;
}

/** An extraction with its complete answer. */
const EXTRACT_MS = 120_000;

const REAL = { fetch: globalThis.fetch, sleep, now: Date.now };

/** The port of a real run. */
export function realPort(signal: AbortSignal): ChatPort {
  return {
    ...REAL,
    timeoutMs: EXTRACT_MS,
    idleMs: EXTRACT_MS,
    wordlessMs: EXTRACT_MS,
    onActivity: () => {},
    signal,
  };
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done, { once: true });
  });
}

/** How long to wait, after an answer's last word, for what may follow it (its usage), in ms. */
const AFTERWARDS_MS = 5_000;

/** Ends one request at its limits, or with the process. */
type Watch = {
  readonly signal: AbortSignal;
  /** Something has arrived of this body. */
  readonly beat: (body: Pick<Body, "state" | "words">) => void;
  /** Whether anything has arrived. */
  readonly begun: () => boolean;
  /** Which limit has ended it, as the end of a sentence; `null`: none. */
  readonly expired: () => string | null;
  readonly close: () => void;
};

function startWatch({ timeoutMs, idleMs, wordlessMs, onActivity, signal }: ChatPort): Watch {
  const limit = new AbortController();
  let expired: string | null = null;
  const expireAfter = (ms: number, words: () => string): NodeJS.Timeout =>
    setTimeout(() => {
      expired ??= words();
      limit.abort();
    }, ms);
  const seconds = (ms: number): string => `${ms / 1000} s`;
  let [begun, over, words] = [false, false, 0];
  const silent = (ms: number) => (): string =>
    begun
      ? `was silent for ${seconds(ms)} in the middle of its answer`
      : `gave no answer within ${seconds(ms)}`;
  const late = expireAfter(timeoutMs, () => `gave no answer within ${seconds(timeoutMs)}`);
  const wordless = expireAfter(wordlessMs, () => `sent no word for ${seconds(wordlessMs)}`);
  // Not AbortSignal.any: only this function would hold its signal.
  const stop = (): void => limit.abort();
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop);
  let idle = expireAfter(idleMs, silent(idleMs));
  return {
    signal: limit.signal,
    beat: (body) => {
      onActivity();
      begun = true;
      if (over) return;
      over = body.state() === "finished";
      if (body.words() > words) wordless.refresh();
      words = body.words();
      if (!over) return void idle.refresh();
      clearTimeout(idle);
      clearTimeout(wordless);
      const afterwards = Math.min(idleMs, AFTERWARDS_MS);
      idle = expireAfter(afterwards, silent(afterwards));
    },
    begun: () => begun,
    expired: () => expired,
    close: () => {
      signal.removeEventListener("abort", stop);
      for (const timer of [late, idle, wordless]) clearTimeout(timer);
    },
  };
}

export type HttpAnswer = {
  readonly status: number;
  readonly type: string;
  /** Of a stream: the body that the server would have sent without one. */
  readonly body: string;
  readonly retryAfterMs: number | null;
  /** A stream had begun to answer. */
  readonly begun: boolean;
};

/** One request and its complete answer, within the time and size limits. Never names the key. */
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
  if (!read.ok) return err(plainFailure(`the answer ${read.error}`, response.status));
  const type = response.headers.get("content-type") ?? "";
  const wait = retryAfterMs(response.headers.get("retry-after"), port.now());
  // Before it is parsed: an answer that repeats the key would carry it into violations, logs and nodes.
  const body = model.conceal(read.value.text);
  return ok({ status: response.status, type, body, retryAfterMs: wait, begun: read.value.begun });
}

/** The error is what there is too much of. */
async function readBody(
  response: Response,
  watch: Watch,
): Promise<Result<{ readonly text: string; readonly begun: boolean }, string>> {
  const body = createBody(LIMITS.llmResponse);
  const reader = response.body?.getReader() ?? null;
  try {
    while (reader !== null && body.state() !== "closed") {
      const part = await reader.read();
      if (part.done) break;
      body.push(part.value);
      watch.beat(body);
    }
  } catch (error) {
    // What a server does after its last word is of no interest.
    if (body.state() === "open") throw error;
  }
  if (body.state() === "closed") void reader?.cancel().catch(() => {});
  const text = body.text();
  return text === null ? err(body.excess() ?? "") : ok({ text, begun: body.streamed() });
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
  // Waiting for the full limit once more would only double the time.
  const transient = expired === null;
  return { reason: model.conceal(reason), status: null, transient, retryAfterMs: null, begun: watch.begun() };
}

/** `ECONNREFUSED` if there is a code: fetch's own message only says that it failed. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const inner = error.cause instanceof Error ? error.cause : error;
  return "code" in inner && typeof inner.code === "string" ? inner.code : inner.message;
}
