import type { JsonObject, JsonValue } from "@uncaged/json-cas";
import { isObject } from "@uncaged/json-schema";
import { err, ok, type Result } from "@uncaged/workflow-protocol";
import { jsonOrNull } from "../json-object.js";
import { isList, memberOf, numberAt, textAt } from "../schema.js";
import type { HttpAnswer } from "./exchange.js";
import type { ChatFailure, ChatModel, ChatReply, ToolCall } from "./model.js";

/** The text of a message's content: a string, or the texts of a list of parts; "" for null. */
export function contentText(content: JsonValue): string {
  if (typeof content === "string") return content;
  if (!isList(content)) return "";
  return content
    .map((part) => (typeof part === "string" ? part : isObject(part) ? (textAt(part, "text") ?? "") : ""))
    .join("");
}

type Reported = { readonly message: string; readonly code: string; readonly status: number | null };

/** The failure that an answer describes, however its server writes errors. */
export function failureOf(answer: HttpAnswer, body: JsonValue | null, model: ChatModel): ChatFailure {
  const reported = body === null ? null : toldBy(body);
  const status = answer.status >= 200 && answer.status < 300 ? (reported?.status ?? null) : answer.status;
  const words = reported?.message || bodyWords(answer);
  const code = reported?.code ? ` (${reported.code})` : "";
  return {
    reason: model.conceal(`HTTP ${status ?? answer.status}: ${shorten(words)}${code}`),
    status: status ?? answer.status,
    transient:
      reported?.code !== "insufficient_quota" && (status === null ? !isMarkup(answer) : isTransient(status)),
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
function toldBy(body: JsonValue): Reported | null {
  const [only] = isList(body) ? body : [body];
  if (!isObject(only)) return null;
  const [choice] = isList(only.choices) ? only.choices : [];
  const inner = present(only.error) ? only.error : isObject(choice) ? choice.error : undefined;
  if (typeof inner === "string") return { message: inner, code: "", status: null };
  const reported = isObject(inner) ? inner : only;
  const detail = memberOf(reported, "detail");
  const message = textAt(reported, "message") ?? (detail === null ? "" : asText(detail));
  return {
    message,
    code: textAt(reported, "code") ?? textAt(reported, "type") ?? "",
    status: statusIn(reported),
  };
}

/** OpenRouter gives the status that it could not send any more as `code`. */
function statusIn(failure: JsonObject): number | null {
  const code = numberAt(failure, "code") ?? Number(textAt(failure, "code") ?? Number.NaN);
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

// Validation: the body of a chat completion becomes a reply here. Servers leave out and add what they like.

/** The first choice of a completion, or the reason why it holds none. */
export function replyOf(body: JsonObject): Result<ChatReply, string> {
  const [choice] = isList(body.choices) ? body.choices : [];
  if (!isObject(choice) || !isObject(choice.message)) return err("the answer holds no message");
  const { message } = choice;
  return ok({
    text: contentText(memberOf(message, "content")),
    toolCalls: toolCallsOf(message),
    message,
    ...usageOf(body),
    finish: textAt(choice, "finish_reason"),
    refusal: textAt(message, "refusal") || null,
  });
}

/** Why a reply is not a complete answer; `null` if it is. */
export function unfinishedBecause({ refusal, finish }: ChatReply): string | null {
  if (refusal !== null) return `the model refused: ${refusal.slice(0, 200)}`;
  if (finish === "length") return "the answer was cut off at the model's length limit";
  return finish === "content_filter" ? "the answer was withheld by the provider's content filter" : null;
}

function toolCallsOf(message: JsonObject): readonly ToolCall[] {
  const calls = isList(message.tool_calls) ? message.tool_calls.filter(isObject) : [];
  return calls.map((call, index) => {
    const called = isObject(call.function) ? call.function : call;
    const given = memberOf(called, "arguments");
    return {
      id: textAt(call, "id") || `call_${index}`,
      name: textAt(called, "name") ?? "",
      arguments: argumentsOf(given),
      raw: typeof given === "string" ? given : JSON.stringify(given ?? {}),
    };
  });
}

/** A JSON text, an object already, or nothing at all. */
function argumentsOf(value: JsonValue): JsonValue {
  if (value === null) return {};
  if (typeof value !== "string") return value;
  return value.trim() === "" ? {} : jsonOrNull(value);
}

function usageOf({ usage }: JsonObject): Pick<ChatReply, "tokens" | "costUsd"> {
  if (!isObject(usage)) return { tokens: null, costUsd: null };
  const input = numberAt(usage, "prompt_tokens");
  const output = numberAt(usage, "completion_tokens");
  const tokens = input === null || output === null ? null : { input, output };
  return { tokens, costUsd: numberAt(usage, "cost") };
}
