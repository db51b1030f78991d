import { err, isObject, ok, type Result, type Why, whyOf } from "@uncaged/workflow-agent-kit";
import { describeEnd } from "@uncaged/workflow-util";
import type { Answer, Connection, Limits } from "./connection.js";
import { type Fields, fieldsOf, listOf, type RpcError, textOf } from "./connection.js";

/** What the agent reported about itself. */
export type Introduced = {
  /** `OpenCode 1.18.33`; `null` when it does not say. */
  readonly agent: string | null;
  /** Whether the usage it reports for a prompt is only that of the last model call. */
  readonly countsLastCall: boolean;
  /** Without a replay of the history. */
  readonly canResume: boolean;
  readonly canLoad: boolean;
  /** How to log in, as the agent says. */
  readonly logins: readonly string[];
};

export type OpenSession = {
  readonly sessionId: string;
  readonly model: string | null;
};

/** Why a conversation failed, as the end of the sentence "agent x …". */
export type Failure = {
  readonly outcome: string;
  readonly why: Why;
  /** The agent does not know the session to continue. */
  readonly sessionLost: boolean;
};

export type Talk = {
  readonly connection: Connection;
  readonly limits: Limits;
  readonly cwd: string;
};

export type Finished = {
  readonly stopReason: string;
  /** `result.usage`, unchecked. */
  readonly usage: unknown;
};

/** The error code for "not logged in". */
const AUTH_REQUIRED = -32_000;

const LONGEST = 500;

export function failed(outcome: string, why: Why = whyOf(outcome)): Failure {
  return { outcome, why, sessionLost: false };
}

/** The failure for an answer that is not a result. */
function failureOf(method: string, answer: Exclude<Answer, { readonly kind: "result" }>): Failure {
  switch (answer.kind) {
    case "error":
      return failed(`refused ${method} (${errorText(answer.error)})`, whyRefused(answer.error));
    case "late":
      return failed(`did not answer ${method} within ${answer.ms / 1000} s and was ended`, {
        reason: "timeout",
      });
    default:
      return failed(`${describeEnd(answer.outcome)} before it had answered ${method}`);
  }
}

/** Some agents use the provider's status as the code. */
function whyRefused(error: RpcError): Why {
  return wantsLogin(error)
    ? { reason: "auth" }
    : whyOf(errorText(error), { status: error.code > 0 ? error.code : null });
}

function errorText({ code, message, data }: RpcError): string {
  const more = data === null || data === "{}" ? "" : `: ${data.slice(0, LONGEST)}`;
  return `${code}: ${message.slice(0, LONGEST)}${more}`;
}

function wantsLogin(error: RpcError): boolean {
  return error.code === AUTH_REQUIRED;
}

/** The current version; the next one is a draft. */
const PROTOCOL = 1;

/** We do not read, write or run anything for the agent: it has its own tools. */
const CAPABILITIES = { fs: { readTextFile: false, writeTextFile: false }, terminal: false };

/** Seen in 1.18: two model calls, but only the usage of the second. */
const COUNTS_LAST_CALL = "OpenCode";

export async function introduce(
  { connection, limits }: Talk,
  version: string,
): Promise<Result<Introduced, Failure>> {
  const answer = await connection.request(
    "initialize",
    {
      protocolVersion: PROTOCOL,
      clientInfo: { name: "uwf-acp", version },
      clientCapabilities: CAPABILITIES,
    },
    limits.startMs,
  );
  if (answer.kind !== "result") return err(failureOf("initialize", answer));
  const fields = fieldsOf(answer.value);
  if (fields.protocolVersion === PROTOCOL) return ok(introducedOf(fields));
  const spoken = JSON.stringify(fields.protocolVersion) ?? "none";
  return err(failed(`speaks version ${spoken} of the Agent Client Protocol, not ${PROTOCOL}`));
}

function introducedOf({
  agentInfo,
  agentCapabilities,
  authMethods,
}: ReturnType<typeof fieldsOf>): Introduced {
  const { name, title, version } = fieldsOf(agentInfo);
  const words = [textOf(title) ?? textOf(name), textOf(version)].filter((word) => word !== null);
  const capabilities = fieldsOf(agentCapabilities);
  return {
    agent: words.length === 0 ? null : words.join(" "),
    countsLastCall: name === COUNTS_LAST_CALL,
    canResume: isObject(fieldsOf(capabilities.sessionCapabilities).resume),
    canLoad: capabilities.loadSession === true,
    logins: listOf(authMethods).flatMap((method) => textOf(method.name) ?? textOf(method.id) ?? []),
  };
}

// Agents list their models as a session option; older ones in a separate list.

/** The model of a session, from the answer that opened it. */
function currentModel(response: Fields): string | null {
  return textOf(modelOption(response)?.currentValue) ?? textOf(fieldsOf(response.models).currentModelId);
}

/** Sets the model that the user wants; `null`: done. */
export async function setModel(
  { connection, limits }: Talk,
  { sessionId }: OpenSession,
  response: Fields,
  model: string,
): Promise<Failure | null> {
  const option = modelOption(response);
  const configId = textOf(option?.id);
  const [method, params] =
    configId !== null
      ? ["session/set_config_option", { sessionId, configId, value: model }]
      : ["session/set_model", { sessionId, modelId: model }];
  if (configId === null && response.models === undefined) {
    return failed(
      `offers no choice of models, so --model ${model} has no effect; set the model in the agent's own command`,
    );
  }
  const answer = await connection.request(method, params, limits.startMs);
  if (answer.kind === "result") return null;
  const { outcome } = failureOf(method, answer);
  const known = modelsIn(response, option);
  return failed(known.length === 0 ? outcome : `${outcome}; its models: ${known.slice(0, 20).join(", ")}`);
}

function modelOption(response: Fields): Fields | null {
  const options = listOf(response.configOptions);
  return (
    options.find(({ category }) => category === "model") ?? options.find(({ id }) => id === "model") ?? null
  );
}

function modelsIn(response: Fields, option: Fields | null): readonly string[] {
  const single = listOf(option?.options);
  const grouped = single.flatMap((group) => listOf(group.options));
  const listed = [...single, ...grouped].flatMap(({ value }) => textOf(value) ?? []);
  const older = listOf(fieldsOf(response.models).availableModels).flatMap(
    ({ modelId }) => textOf(modelId) ?? [],
  );
  return [...listed, ...older];
}

export type Opened = {
  readonly session: OpenSession;
  readonly response: Fields;
  /** Whether it was loaded: the agent replays its history, before or after its answer to session/load. */
  readonly replays: boolean;
};

/** A new session, or the one to continue. */
export function openSession(
  talk: Talk,
  introduced: Introduced,
  resume: string | null,
): Promise<Result<Opened, Failure>> {
  return resume === null ? newSession(talk, introduced) : oldSession(talk, introduced, resume);
}

async function newSession(talk: Talk, { logins }: Introduced): Promise<Result<Opened, Failure>> {
  const params = { cwd: talk.cwd, mcpServers: [] };
  const answer = await talk.connection.request("session/new", params, talk.limits.startMs);
  if (answer.kind !== "result") return err(refusalOf("session/new", answer, logins));
  const response = fieldsOf(answer.value);
  const sessionId = textOf(response.sessionId);
  return sessionId === null || sessionId === ""
    ? err(failed("answered session/new without a sessionId"))
    : ok(opened(sessionId, response, false));
}

/**
 * session/resume if the agent supports it, else session/load, which replays the whole history. An agent that refuses
 * both no longer knows the session; one that dies or does not answer may still know it.
 */
async function oldSession(
  talk: Talk,
  introduced: Introduced,
  sessionId: string,
): Promise<Result<Opened, Failure>> {
  const methods = [
    ...(introduced.canResume ? ["session/resume"] : []),
    ...(introduced.canLoad ? ["session/load"] : []),
  ];
  let failure: Failure = failed(`cannot continue session ${sessionId}: it does not support loading sessions`);
  const params = { sessionId, cwd: talk.cwd, mcpServers: [] };
  for (const method of methods) {
    const answer = await talk.connection.request(method, params, talk.limits.startMs);
    if (answer.kind === "result")
      return ok(opened(sessionId, fieldsOf(answer.value), method === "session/load"));
    failure = refusalOf(method, answer, introduced.logins);
    if (answer.kind !== "error" || wantsLogin(answer.error)) return err(failure);
  }
  return err({ ...failure, sessionLost: true });
}

function opened(sessionId: string, response: Fields, replays: boolean): Opened {
  return { session: { sessionId, model: currentModel(response) }, response, replays };
}

type NoResult = Exclude<Answer, { readonly kind: "result" }>;

function refusalOf(method: string, answer: NoResult, logins: readonly string[]): Failure {
  if (answer.kind !== "error" || !wantsLogin(answer.error)) return failureOf(method, answer);
  const ways = logins.length === 0 ? "" : `; it offers: ${logins.join(", ")}`;
  return failed(`wants to be logged in first (${errorText(answer.error)}${ways})`, { reason: "auth" });
}

/** Sends one prompt; the time limits are uwf's and `--idle`. */
export async function sendPrompt(
  { connection }: Talk,
  session: OpenSession,
  text: string,
): Promise<Result<Finished, Failure>> {
  const params = { sessionId: session.sessionId, prompt: [{ type: "text", text }] };
  const answer = await connection.request("session/prompt", params, null);
  if (answer.kind !== "result") return err(failureOf("session/prompt", answer));
  const { stopReason, usage } = fieldsOf(answer.value);
  const reason = textOf(stopReason);
  return reason === null
    ? err(failed("ended the prompt without a stopReason"))
    : ok({ stopReason: reason, usage });
}
