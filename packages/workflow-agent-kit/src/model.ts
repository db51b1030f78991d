import type { JsonObject } from "@uncaged/json-cas";
import { isObject } from "@uncaged/json-schema";
import { err, type Fault, fault, ok, type Result, type Why } from "@uncaged/workflow-protocol";
import {
  keyNames,
  loadConfig,
  loadDotEnv,
  readProjectEnv,
  redactorOf,
  resolveStorageRoot,
  type WorkflowConfig,
} from "@uncaged/workflow-store";
import { definedOnly, type Redactor } from "@uncaged/workflow-util";
import { whyOf } from "./fault.js";
import type { Env } from "./host.js";
import type * as Llm from "./llm/index.js";
import { loadLlm } from "./load.js";
import { isList } from "./schema.js";

/** Where config.yaml and `.env` are found: the process's environment, working directory and home. */
export type ConfigLocation = { readonly env: Env; readonly cwd: string; readonly home: string | null };

/** Which model of config.yaml. */
export type ModelChoice = {
  /** An alias; `null`: the first of `overrides` that modelOverrides has, else defaultModel. */
  readonly alias: string | null;
  readonly overrides: readonly string[];
};

/** A model behind an OpenAI-compatible endpoint, ready to be asked. The key never leaves it. */
export type OpenModel = {
  readonly alias: string;
  /** As the provider calls it. */
  readonly name: string;
  readonly provider: string;
  readonly baseUrl: string;
  /** The variable that holds the key; `null`: the provider asks for none. */
  readonly keyName: string | null;
  /**
   * One chat completion, streamed, repeated while its failure is transient (429, 5xx, a broken connection).
   * The request is redacted; the answer too, but for what only a `.env` of the working folder calls a key.
   */
  readonly complete: (request: CompletionRequest) => Promise<Result<Completion, CompletionFailure>>;
  /** Puts `[redacted:NAME]` in place of keys. */
  readonly conceal: (text: string) => string;
  /** The variables of an environment that contain no key and are not in `.env` of the storage root: for children. */
  readonly withoutKeys: (env: Env) => Readonly<Record<string, string>>;
};

export type CompletionRequest = Pick<Llm.ChatRequest, "messages" | "tools" | "toolChoice" | "more"> &
  Pick<Llm.ChatPort, "timeoutMs" | "idleMs" | "wordlessMs" | "signal" | "onActivity">;

export type Completion = Pick<Llm.ChatReply, "text" | "tokens" | "costUsd" | "finish"> & {
  readonly toolCalls: readonly CompletionToolCall[];
  /** Why this is not a complete answer (cut off, withheld, refused), as a clause; `null` if it is. */
  readonly unfinished: string | null;
};

export type CompletionToolCall = Llm.ToolCall & {
  /** The call in the form of the API, to be sent back: some servers need their own additions to it. */
  readonly whole: JsonObject;
};

export type CompletionFailure = {
  /** A sentence without its end, without keys. */
  readonly reason: string;
  /** HTTP status; `null`: no answer came. */
  readonly status: number | null;
  /** Why, as a fault says it. */
  readonly why: Why;
};

/** `complete` of an open model. */
function completeWith(llm: typeof Llm, model: Llm.ChatModel, redactor: Redactor): OpenModel["complete"] {
  return async ({ messages: given, tools, toolChoice, more, ...limits }) => {
    const port = { ...llm.realPort(limits.signal), ...limits };
    // The model is not trusted: a key in a prompt or in the result of a tool is redacted before it is sent.
    const messages = redactor.value(given);
    const answer = await llm.chat(model, { messages, tools, toolChoice, more, mode: "stream" }, port);
    if (answer.ok) return ok(completionOf(answer.value, llm.unfinishedBecause(answer.value)));
    const { reason, status, retryAfterMs } = answer.error;
    const retryAfter = retryAfterMs === null ? null : Math.ceil(retryAfterMs / 1000);
    return err({ reason, status, why: whyOf(reason, { status, retryAfter }) });
  };
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

/**
 * A chat model of config.yaml, with its key from `.env` of the storage root or the environment, which takes
 * precedence. Sends no request. Faults: INVALID_INPUT (no such model), NO_API_KEY, those of the storage root, of
 * config.yaml and of `.env`.
 */
export async function openModel(
  place: ConfigLocation,
  choice: ModelChoice,
): Promise<Result<OpenModel, Fault>> {
  const root = resolveStorageRoot(place);
  if (!root.ok) return root;
  const storage = { root: root.value };
  const dotEnv = await loadDotEnv(storage);
  if (!dotEnv.ok) return dotEnv;
  const loaded = await loadConfig(storage);
  if (!loaded.ok) return loaded;
  const llm = await loadLlm();
  const found = llm.chosenAlias(loaded.value.config, choice.alias, choice.overrides);
  if (!found.ok) return unusable(found.error);
  const { config, alias } = found.value;
  const { variables } = dotEnv.value;
  const model = llm.modelNamed(config, alias, { ...variables, ...definedOnly(place.env) });
  if (!model.ok) {
    const { keyName } = namesOf(config, alias);
    return keyName === null ? unusable(model.error) : err(fault("NO_API_KEY", { variable: keyName }));
  }
  const { env } = place;
  const names = keyNames(config, env);
  const project = readProjectEnv(place.cwd);
  if (!project.ok) return project;
  const redactor = redactorOf({ variables, project: project.value, env, names });
  const ofUser = redactorOf({ variables, project: {}, env, names });
  // A variable that counts as a key only because of its name (GITHUB_TOKEN) may be for a command.
  const own = keyNames(config, {});
  const ofModels = redactorOf({ variables, project: {}, env, names: own });
  return ok({
    ...namesOf(config, alias),
    // What a model decides does not depend on which words are secrets; the kit redacts it before it stores it.
    complete: completeWith(llm, { ...model.value, conceal: ofUser.text }, redactor),
    conceal: redactor.text,
    withoutKeys: (given) => keyless(given, new Set([...own, ...Object.keys(variables)]), ofModels.text),
  });
}

function unusable(reason: string): Result<never, Fault> {
  const hint = "`uwf setup` writes a model into config.yaml; `uwf help configuration` has every key";
  return err(fault("INVALID_INPUT", { what: "the model", reason, hint }));
}

function namesOf(
  { models, providers }: WorkflowConfig,
  alias: string,
): Pick<OpenModel, "alias" | "name" | "provider" | "baseUrl" | "keyName"> {
  const { name = "", provider = "" } = models[alias] ?? {};
  const { baseUrl = "", apiKeyEnv = null } = providers[provider] ?? {};
  return { alias, name, provider, baseUrl, keyName: apiKeyEnv };
}

/** A key may be in a variable of another name too, or within its value. */
function keyless(
  env: Env,
  names: ReadonlySet<string>,
  conceal: (text: string) => string,
): Readonly<Record<string, string>> {
  const kept = Object.entries(definedOnly(env)).filter(
    ([name, value]) => !names.has(name) && conceal(value) === value,
  );
  return Object.fromEntries(kept);
}
