import type { JsonObject, JsonValue } from "@uncaged/json-cas";
import { isObject } from "@uncaged/json-schema";
import { err, ok, type Result } from "@uncaged/workflow-protocol";
import { jsonOrNull } from "../json-object.js";
import { isList, memberOf, numberAt, textAt } from "../schema.js";
import type { HttpAnswer } from "./exchange.js";
import type { ChatFailure, ChatModel, ChatReply, ToolCall } from "./model.js";
import type { Body, StreamEvent } from "./stream.js";

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

/** Calls in one answer beyond these are ignored: no model means to make that many. */
const MOST = 256;

/** How many unknown members of a call are kept: servers send one or two, and each delta copies them. */
const MOST_MEMBERS = 64;

/** A tool call on its way. */
type Growing = {
  readonly index: number | null;
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  /** The server's additions to the call; some servers want them sent back. */
  readonly more: JsonObject;
};

/** The calls after one more delta. */
function joinToolCalls(calls: readonly Growing[], deltas: JsonValue): readonly Growing[] {
  return (isList(deltas) ? deltas : []).filter(isObject).reduce(joinOne, calls);
}

export type { Growing };

/** Gives the calls the form that they have in a completion that is not streamed. */
function wholeToolCalls(calls: readonly Growing[]): readonly JsonObject[] {
  return calls.map(({ id, name, arguments: given, more }) => ({
    ...more,
    ...(id === "" ? {} : { id }),
    type: "function",
    function: { name, arguments: given },
  }));
}

function joinOne(calls: readonly Growing[], delta: JsonObject): readonly Growing[] {
  const part = partOf(delta);
  const at = placeOf(calls, part);
  const old = calls[at];
  if (old === undefined) return calls.length < MOST ? [...calls, part] : calls;
  const joined: Growing = {
    index: old.index ?? part.index,
    id: old.id || part.id,
    // Some servers say the name again with every piece.
    name: old.name || part.name,
    arguments: old.arguments + part.arguments,
    more: firstOf({ ...old.more, ...part.more }),
  };
  return calls.map((call, place) => (place === at ? joined : call));
}

function partOf(delta: JsonObject): Growing {
  const { id: _id, index: _index, type: _type, function: called, ...more } = delta;
  const inner = isObject(called) ? called : {};
  const given = memberOf(inner, "arguments");
  return {
    index: numberAt(delta, "index"),
    id: textAt(delta, "id") ?? "",
    name: textAt(inner, "name") ?? "",
    arguments: typeof given === "string" ? given : given === null ? "" : JSON.stringify(given),
    more: firstOf(more),
  };
}

function firstOf(more: JsonObject): JsonObject {
  const all = Object.entries(more);
  return all.length <= MOST_MEMBERS ? more : Object.fromEntries(all.slice(0, MOST_MEMBERS));
}

/**
 * -1: it is a new one. By index; two calls with one index and two ids are two; without an index the id decides, or
 * the last one continues.
 */
function placeOf(calls: readonly Growing[], { index, id, name }: Growing): number {
  const differs = (call: Growing): boolean => id !== "" && call.id !== "" && call.id !== id;
  if (index !== null) return calls.findLastIndex((call) => call.index === index && !differs(call));
  if (id !== "") return calls.findLastIndex((call) => call.id === id);
  return name === "" ? calls.length - 1 : -1;
}

type Assembler = Pick<Body, "state" | "words"> & {
  readonly take: (event: StreamEvent) => void;
  /** Characters so far. */
  readonly size: () => number;
  /** The completion as it would have been without streaming; an error if it reported one, or broke off. */
  readonly whole: () => JsonObject;
};

/** Joins the chunks of a streamed completion. */
export function createAssembler(): Assembler {
  const texts = { content: [] as string[], refusal: [] as string[] };
  let calls: readonly Growing[] = [];
  let finish: string | null = null;
  let usage: JsonObject | null = null;
  let failure: JsonObject | null = null;
  let [done, choices, size, words] = [false, 0, 0, 0];

  function take(event: StreamEvent): void {
    if (failure !== null || done) return;
    if (event.kind === "done") done = true;
    else if (event.kind === "malformed") failure = errorOf(`the stream is not JSON: ${event.text}`);
    else takeChunk(event.value, event.name);
  }

  function takeChunk(chunk: JsonValue, name: string): void {
    failure = failureIn(chunk, name);
    if (failure !== null || !isObject(chunk)) return;
    const choice = firstChoice(chunk);
    usage = usageIn(chunk, choice) ?? usage;
    if (choice === null) return;
    choices += 1;
    takeDelta([choice.delta, choice.message].find(isObject) ?? {});
    finish = textAt(choice, "finish_reason") || finish;
    if (finish === "error") failure = errorOf("the provider reports an error without words");
  }

  function takeDelta(delta: JsonObject): void {
    if (hasWords(delta)) words += 1;
    const content = contentText(memberOf(delta, "content"));
    const refusal = textAt(delta, "refusal") ?? "";
    if (content !== "") texts.content.push(content);
    if (refusal !== "") texts.refusal.push(refusal);
    const pieces = memberOf(delta, "tool_calls");
    calls = joinToolCalls(calls, pieces);
    size += content.length + refusal.length + (pieces === null ? 0 : JSON.stringify(pieces).length);
  }

  function whole(): JsonObject {
    if (failure !== null) return failure;
    if (!done && finish === null) return errorOf("the stream broke off before its end");
    if (choices === 0) return { choices: [] };
    const message = {
      role: "assistant",
      content: texts.content.join(""),
      ...(calls.length === 0 ? {} : { tool_calls: wholeToolCalls(calls) }),
      refusal: texts.refusal.join(""),
    };
    return { choices: [{ message, finish_reason: finish }], usage };
  }

  const state = (): ReturnType<Body["state"]> =>
    done || failure !== null ? "closed" : finish === null ? "open" : "finished";
  return { take, state, words: () => words, size: () => size, whole };
}

/** Whether a delta brings a piece of the answer: a text, a thought or a call. */
function hasWords(delta: JsonObject): boolean {
  return Object.entries(delta).some(([name, value]) =>
    isList(value) || isObject(value)
      ? Object.keys(value).length > 0
      : name !== "role" && typeof value === "string" && value !== "",
  );
}

/** Several choices are never requested; if a server sends them anyway, the first counts. */
function firstChoice(chunk: JsonObject): JsonObject | null {
  const [choice] = isList(chunk.choices) ? chunk.choices : [];
  return isObject(choice) && (choice.index ?? 0) === 0 ? choice : null;
}

/** In the chunk, in its choice, or where Groq has it. A later one counts for all before it. */
function usageIn(chunk: JsonObject, choice: JsonObject | null): JsonObject | null {
  const groq = isObject(chunk.x_groq) ? chunk.x_groq.usage : null;
  return [chunk.usage, choice?.usage, groq].find(isObject) ?? null;
}

/** A chunk that reports an error is the answer: it is read like any error. */
function failureIn(chunk: JsonValue, name: string): JsonObject | null {
  if (name === "error") return isObject(chunk) && chunk.error ? chunk : { error: chunk };
  if (!isObject(chunk)) return null;
  const [choice] = isList(chunk.choices) ? chunk.choices : [];
  const reported = chunk.error || chunk.object === "error" || (isObject(choice) && choice.error);
  return reported ? chunk : null;
}

function errorOf(message: string): JsonObject {
  return { error: { message } };
}
