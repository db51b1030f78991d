import type { JsonObject, JsonValue } from "@uncaged/json-cas";
import { isList, isObject, memberOf, numberAt, textAt } from "../schema/index.js";
import type { HttpAnswer } from "./exchange.js";
import type { ChatFailure, ChatModel } from "./types.js";

type Told = { readonly message: string; readonly code: string; readonly status: number | null };

/** The failure that an answer describes, however its server writes errors. */
export function failureOf(answer: HttpAnswer, body: JsonValue | null, model: ChatModel): ChatFailure {
  const told = body === null ? null : toldBy(body);
  const status = answer.status >= 200 && answer.status < 300 ? (told?.status ?? null) : answer.status;
  const words = told?.message || bodyWords(answer);
  const code = told?.code ? ` (${told.code})` : "";
  return {
    reason: model.conceal(`HTTP ${status ?? answer.status}: ${shorten(words)}${code}`),
    status: status ?? answer.status,
    transient:
      told?.code !== "insufficient_quota" && (status === null ? !isMarkup(answer) : isTransient(status)),
    retryAfterMs: answer.retryAfterMs,
    begun: answer.begun,
  };
}

function isTransient(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

/** Whether a body of HTTP 200 carries an error instead of an answer. */
export function carriesError(body: JsonObject): boolean {
  const [choice] = isList(body.choices) ? body.choices : [];
  return body.object === "error" || present(body.error) || (isObject(choice) && present(choice.error));
}

function present(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null && value !== false;
}

/** `{error: {message, code}}`, `{error: "text"}`, `{object: "error", message}`, `{detail}`, an error inside a choice. */
function toldBy(body: JsonValue): Told | null {
  const [only] = isList(body) ? body : [body];
  if (!isObject(only)) return null;
  const [choice] = isList(only.choices) ? only.choices : [];
  const inner = present(only.error) ? only.error : isObject(choice) ? choice.error : undefined;
  if (typeof inner === "string") return { message: inner, code: "", status: null };
  const told = isObject(inner) ? inner : only;
  const detail = memberOf(told, "detail");
  const message = textAt(told, "message") ?? (detail === null ? "" : asText(detail));
  return { message, code: textAt(told, "code") ?? textAt(told, "type") ?? "", status: statusIn(told) };
}

/** OpenRouter gives the status that it could not send any more as `code`. */
function statusIn(told: JsonObject): number | null {
  const code = numberAt(told, "code") ?? Number(textAt(told, "code") ?? Number.NaN);
  return code >= 400 && code < 600 ? code : null;
}

function asText(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function bodyWords(answer: HttpAnswer): string {
  if (answer.body.trim() === "") return "an empty body";
  if (isMarkup(answer)) return "a web page instead of JSON; is the provider's baseUrl right?";
  return `not a chat completion: ${answer.body}`;
}

function isMarkup({ body, type }: HttpAnswer): boolean {
  return type.includes("html") || /^\s*</.test(body);
}

const LONGEST = 300;

function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}
