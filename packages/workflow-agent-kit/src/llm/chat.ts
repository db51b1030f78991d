import type { JsonObject } from "@uncaged/json-cas";
import { err, ok, type Result } from "@uncaged/workflow-protocol";
import { isObject } from "../schema/index.js";
import { carriesError, failureOf } from "./error-body.js";
import { exchange, plainFailure } from "./exchange.js";
import { parseJson, replyOf } from "./reply.js";
import { nextWait } from "./retry.js";
import type { ChatFailure, ChatModel, ChatPort, ChatReply, ChatRequest } from "./types.js";

/** One chat completion in JSON mode, repeated while its failure is transient. */
export async function chat(
  model: ChatModel,
  request: ChatRequest,
  port: ChatPort,
): Promise<Result<ChatReply, ChatFailure>> {
  let jsonMode = true;
  for (let tries = 1; ; tries += 1) {
    const answer = await once(model, payloadOf(model, request, jsonMode), port);
    if (answer.ok) return answer;
    if (jsonMode && refusesJsonMode(answer.error)) {
      jsonMode = false;
      continue;
    }
    const wait = port.signal.aborted ? null : nextWait(answer.error, tries);
    if (wait === null) return answer;
    await port.sleep(wait, port.signal);
  }
}

function payloadOf(model: ChatModel, request: ChatRequest, jsonMode: boolean): JsonObject {
  return {
    model: model.name,
    messages: request.messages,
    stream: false,
    ...(jsonMode ? { response_format: { type: "json_object" } } : {}),
    ...(request.tools.length === 0 ? {} : { tools: request.tools }),
  };
}

/** Servers without JSON mode say so; the prompt asks for JSON all the same. */
function refusesJsonMode({ status, reason }: ChatFailure): boolean {
  return (status === 400 || status === 422) && /response_format|json_object|json mode/i.test(reason);
}

async function once(
  model: ChatModel,
  payload: JsonObject,
  port: ChatPort,
): Promise<Result<ChatReply, ChatFailure>> {
  const answer = await exchange(model, payload, port);
  if (!answer.ok) return answer;
  const { status } = answer.value;
  const body = parseJson(answer.value.body);
  const succeeded = status >= 200 && status < 300 && isObject(body) && !carriesError(body);
  if (!succeeded) return err(failureOf(answer.value, body, model));
  const reply = replyOf(body);
  return reply.ok ? ok(reply.value) : err(plainFailure(model.conceal(reply.error), status));
}
