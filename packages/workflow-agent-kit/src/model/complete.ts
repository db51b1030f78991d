import type { JsonObject } from "@uncaged/json-cas";
import { err, ok } from "@uncaged/workflow-protocol";
import type { Redactor } from "@uncaged/workflow-util";
import { whyOf } from "../fault/index.js";
import type * as Llm from "../llm/index.js";
import { isList, isObject } from "../schema/index.js";
import type { Completion, CompletionRequest, OpenModel } from "./types.js";

/** `complete` of an open model. */
export function completeWith(
  llm: typeof Llm,
  model: Llm.ChatModel,
  redactor: Redactor,
): OpenModel["complete"] {
  return async (request) => {
    const port = { ...llm.realPort(request.signal), ...limitsOf(request) };
    // The model is a stranger: it sees no key that a prompt or a tool has brought up.
    const messages = redactor.value(request.messages);
    const { tools, toolChoice, more } = request;
    const answer = await llm.chat(model, { messages, tools, toolChoice, more, mode: "stream" }, port);
    if (answer.ok) return ok(completionOf(answer.value, llm.unfinishedBecause(answer.value)));
    const { reason, status, retryAfterMs } = answer.error;
    const retryAfter = retryAfterMs === null ? null : Math.ceil(retryAfterMs / 1000);
    return err({ reason, status, why: whyOf(reason, { status, retryAfter }) });
  };
}

function limitsOf({
  timeoutMs,
  idleMs,
  onActivity,
}: CompletionRequest): Pick<Llm.ChatPort, "timeoutMs" | "idleMs" | "onActivity"> {
  return { timeoutMs, idleMs, onActivity };
}

function completionOf(reply: Llm.ChatReply, unfinished: string | null): Completion {
  const { text, tokens, costUsd, finish, message } = reply;
  const toolCalls = reply.toolCalls.map((call, index) => ({
    ...call,
    whole: wholeCall(message, call, index),
  }));
  return { text, toolCalls, tokens, costUsd, finish, unfinished };
}

/** As it came, with an id, and with arguments that servers can parse when they read the conversation again. */
function wholeCall(message: JsonObject, call: Llm.ToolCall, index: number): JsonObject {
  const calls = isList(message.tool_calls) ? message.tool_calls.filter(isObject) : [];
  const given = isObject(call.arguments) ? JSON.stringify(call.arguments) : "{}";
  return { ...calls[index], id: call.id, type: "function", function: { name: call.name, arguments: given } };
}
