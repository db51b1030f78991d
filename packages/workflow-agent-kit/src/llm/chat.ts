import type { JsonObject } from "@uncaged/json-cas";
import { err, ok, type Result } from "@uncaged/workflow-protocol";
import { isObject } from "../schema/index.js";
import { carriesError, failureOf } from "./error-body.js";
import { exchange, plainFailure } from "./exchange.js";
import { type Features, featuresOf, withoutRefused } from "./features.js";
import { parseJson, replyOf } from "./reply.js";
import { nextWait } from "./retry.js";
import type { ChatFailure, ChatModel, ChatPort, ChatReply, ChatRequest } from "./types.js";

/** One chat completion, repeated while its failure is transient. */
export async function chat(
  model: ChatModel,
  request: ChatRequest,
  port: ChatPort,
): Promise<Result<ChatReply, ChatFailure>> {
  let features = featuresOf(request);
  let begun = false;
  for (let tries = 1; ; tries += 1) {
    const answer = await once(model, payloadOf(model, request, features), port);
    if (answer.ok) return begun ? ok(withoutUsage(answer.value)) : answer;
    begun ||= answer.error.begun;
    const fewer = withoutRefused(features, answer.error);
    if (fewer !== null) {
      features = fewer;
      continue;
    }
    const wait = port.signal.aborted ? null : nextWait(answer.error, tries);
    if (wait === null) return answer;
    port.onActivity();
    await port.sleep(wait, port.signal);
  }
}

/** What an answer that broke off has cost is told nowhere, so the sum is not known. */
function withoutUsage(reply: ChatReply): ChatReply {
  return { ...reply, tokens: null, costUsd: null };
}

function payloadOf(
  model: ChatModel,
  { messages, tools, toolChoice, more }: ChatRequest,
  { stream, usage, jsonMode }: Features,
): JsonObject {
  return {
    ...more,
    model: model.name,
    messages,
    stream,
    ...(stream && usage ? { stream_options: { include_usage: true } } : {}),
    ...(jsonMode ? { response_format: { type: "json_object" } } : {}),
    ...(tools.length === 0 ? {} : { tools }),
    ...(tools.length === 0 || toolChoice === null ? {} : { tool_choice: toolChoice }),
  };
}

async function once(
  model: ChatModel,
  payload: JsonObject,
  port: ChatPort,
): Promise<Result<ChatReply, ChatFailure>> {
  const answer = await exchange(model, payload, port);
  if (!answer.ok) return answer;
  const { status, begun } = answer.value;
  const body = parseJson(answer.value.body);
  const succeeded = status >= 200 && status < 300 && isObject(body) && !carriesError(body);
  if (!succeeded) return err(failureOf(answer.value, body, model));
  const reply = replyOf(body);
  return reply.ok ? ok(reply.value) : err({ ...plainFailure(model.conceal(reply.error), status), begun });
}
