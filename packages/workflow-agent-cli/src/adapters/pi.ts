import { whyOf } from "@uncaged/workflow-agent-kit";
import {
  type AgentEvent,
  asText,
  count,
  inner,
  type JsonRecord,
  list,
  resultText,
  type Tokens,
  text,
  tokensOf,
} from "../events.js";
import type { Adapter, Call, Login, LoginContext, Request } from "./shared.js";
import { byFile, byVariable, notLoggedIn, PROVIDER_KEYS } from "./shared.js";

const KEYS = [...PROVIDER_KEYS, "ANTHROPIC_OAUTH_TOKEN"];

const LOG_IN = "run `pi` and /login, or set the key of a provider";

/** pi, `pi -p --mode json`. */
export const pi: Adapter = {
  name: "pi",
  programs: ["pi"],
  call,
  events,
  usageScope: "run",
  // For a session of another folder it asks a question, takes EOF for an answer, and exits with 0.
  lost: ({ hasSession, stderr }) =>
    !hasSession && /No session found|Session found in different project/i.test(stderr),
  reasonIn: null,
  loginHint: LOG_IN,
  login,
  keyVariables: KEYS,
  ownFolders: [".pi"],
  tried: { package: "@mariozechner/pi-coding-agent", version: "0.73.1", scripts: false },
};

/** It does not know `--session=<id>`, but takes whatever follows `--session` for its value. */
function call({ prompt, resume, args }: Request): Call {
  const session = resume === null ? [] : ["--session", resume];
  return { args: ["-p", "--mode", "json", ...session, ...args], stdin: prompt, env: {} };
}

function events(record: JsonRecord): readonly AgentEvent[] {
  switch (text(record, "type")) {
    case "session":
      return [{ kind: "session", id: text(record, "id") ?? "" }];
    case "message_end":
      return message(inner(record, "message"));
    case "tool_execution_end":
      return [toolResult(record)];
    case "auto_retry_start":
      return [{ kind: "recovered" }, { kind: "notice", text: text(record, "errorMessage") ?? "" }];
    case "auto_retry_end":
      return record.success === true ? [] : [failure(text(record, "finalError"))];
    case "agent_end":
      return agentEnd(list(record, "messages").at(-1) ?? {});
    default:
      // Each delta repeats the whole message so far, so these records are long.
      return [];
  }
}

function message(said: JsonRecord): readonly AgentEvent[] {
  if (text(said, "role") !== "assistant") return [];
  const name = text(said, "model");
  const model: readonly AgentEvent[] = name === null ? [] : [{ kind: "model", name }];
  const parts = list(said, "content").flatMap(part);
  const tokens = usage(inner(said, "usage"));
  const used: readonly AgentEvent[] = tokens === null ? [] : [{ kind: "tokens", tokens }];
  const turn: readonly AgentEvent[] =
    parts.length + used.length === 0 ? [] : [{ kind: "turn", id: null }, ...parts, ...used];
  return [...model, ...turn, isFailed(said) ? failure(text(said, "errorMessage")) : { kind: "recovered" }];
}

function isFailed(said: JsonRecord): boolean {
  return ["error", "aborted"].includes(text(said, "stopReason") ?? "");
}

function failure(reason: string | null): AgentEvent {
  if (reason === null) return { kind: "failed", reason: "the model returned an error" };
  // `401 {"error":…}`, as written by the provider's library.
  const status = Number(/^([45]\d\d)\b/.exec(reason)?.[1] ?? Number.NaN);
  return { kind: "failed", reason, why: whyOf(reason, { status: Number.isNaN(status) ? null : status }) };
}

function part(block: JsonRecord): readonly AgentEvent[] {
  const type = text(block, "type");
  if (type === "text") return [{ kind: "text", text: text(block, "text") ?? "", delta: false }];
  if (type !== "toolCall") return [];
  const id = text(block, "id") ?? "";
  const name = text(block, "name") ?? "";
  return [{ kind: "tool-call", id, name, arguments: asText(block.arguments), at: null }];
}

function toolResult(record: JsonRecord): AgentEvent {
  const result = resultText(inner(record, "result").content ?? record.result);
  return {
    kind: "tool-result",
    id: text(record, "toolCallId") ?? "",
    result,
    durationMs: null,
    at: null,
  };
}

// Zeros until the model has reported its usage.
function usage(counts: JsonRecord): Tokens | null {
  if ((count(counts, "totalTokens") ?? 0) === 0) return null;
  const input = count(counts, "input");
  const cached = (count(counts, "cacheRead") ?? 0) + (count(counts, "cacheWrite") ?? 0);
  const cost = count(inner(counts, "cost"), "total");
  return tokensOf(input === null ? null : input + cached, count(counts, "output"), cost);
}

// It always exits with 0, and reports the end of each attempt.
function agentEnd(last: JsonRecord): readonly AgentEvent[] {
  if (text(last, "role") !== "assistant" || isFailed(last)) return [];
  return [{ kind: "done", text: null }];
}

function login(place: LoginContext): Login {
  const folder = place.env.PI_CODING_AGENT_DIR || `${place.home}/.pi/agent`;
  return (
    byVariable(place, KEYS) ??
    byFile(place, [`${folder}/auth.json`, `${folder}/models.json`]) ??
    notLoggedIn(LOG_IN)
  );
}
