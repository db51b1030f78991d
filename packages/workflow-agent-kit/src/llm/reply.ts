import type { JsonObject, JsonValue } from "@uncaged/json-cas";
import { err, ok, type Result } from "@uncaged/workflow-protocol";
import { contentText } from "../content/index.js";
import { isList, isObject, memberOf, numberAt, textAt } from "../schema/index.js";
import type { ChatReply, ToolCall } from "./types.js";

// Gate: the body of a chat completion becomes a reply here. Servers leave out and add what they like.

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

/** Why a reply is no whole answer; `null` when it is one. */
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
  return value.trim() === "" ? {} : parseJson(value);
}

export function parseJson(text: string): JsonValue | null {
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch {
    return null;
  }
}

function usageOf({ usage }: JsonObject): Pick<ChatReply, "tokens" | "costUsd"> {
  if (!isObject(usage)) return { tokens: null, costUsd: null };
  const input = numberAt(usage, "prompt_tokens");
  const output = numberAt(usage, "completion_tokens");
  const tokens = input === null || output === null ? null : { input, output };
  return { tokens, costUsd: numberAt(usage, "cost") };
}
