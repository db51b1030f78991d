import type { JsonObject, JsonValue } from "@uncaged/json-cas";
import { err, ok, type Result } from "@uncaged/workflow-protocol";
import { isList, isObject, memberOf, numberAt, textAt } from "../schema/index.js";
import type { ChatReply, ToolCall } from "./types.js";

// Gate: the body of a chat completion becomes a reply here. Servers leave out and add what they like.

/** The first choice of a completion, or the reason why it holds no answer. */
export function replyOf(body: JsonObject): Result<ChatReply, string> {
  const [choice] = isList(body.choices) ? body.choices : [];
  if (!isObject(choice) || !isObject(choice.message)) return err("the answer holds no message");
  const { message } = choice;
  const refusal = textAt(message, "refusal");
  if (refusal !== null && refusal !== "") return err(`the model refused: ${refusal.slice(0, 200)}`);
  const toolCalls = toolCallsOf(message);
  if (textAt(choice, "finish_reason") === "length")
    return err("the answer was cut off at the model's length limit");
  return ok({ text: contentText(memberOf(message, "content")), toolCalls, message, tokens: tokensOf(body) });
}

/** A string, or the texts of a list of parts; "" for null. */
function contentText(content: JsonValue): string {
  if (typeof content === "string") return content;
  if (!isList(content)) return "";
  return content
    .map((part) => (typeof part === "string" ? part : isObject(part) ? (textAt(part, "text") ?? "") : ""))
    .join("");
}

function toolCallsOf(message: JsonObject): readonly ToolCall[] {
  const calls = isList(message.tool_calls) ? message.tool_calls.filter(isObject) : [];
  return calls.map((call, index) => {
    const called = isObject(call.function) ? call.function : call;
    return {
      id: textAt(call, "id") ?? `call_${index}`,
      name: textAt(called, "name") ?? "",
      arguments: argumentsOf(memberOf(called, "arguments")),
    };
  });
}

/** A JSON text, an object already, or an empty string. */
function argumentsOf(value: JsonValue): JsonValue {
  if (typeof value !== "string") return value;
  return parseJson(value) ?? {};
}

export function parseJson(text: string): JsonValue | null {
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch {
    return null;
  }
}

function tokensOf(body: JsonObject): ChatReply["tokens"] {
  if (!isObject(body.usage)) return null;
  const input = numberAt(body.usage, "prompt_tokens");
  const output = numberAt(body.usage, "completion_tokens");
  return input === null || output === null ? null : { input, output };
}
