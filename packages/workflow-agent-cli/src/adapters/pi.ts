import { whyOf } from "@uncaged/workflow-agent-kit";
import {
  type AgentEvent,
  count,
  inner,
  type JsonRecord,
  list,
  model,
  resultText,
  said,
  session,
  type Tokens,
  text,
  tokensOf,
  toolCall,
  toolResult,
  used,
} from "../trace.js";
import type { Adapter, Call, Login, LoginContext, Request } from "./shared.js";
import { byFile, byVariable, no, PROVIDER_KEYS } from "./shared.js";

const KEYS = [...PROVIDER_KEYS, "ANTHROPIC_OAUTH_TOKEN"];

const LOG_IN = "run `pi` and /login, or set the key of a provider";

/** pi, `pi -p --mode json`. */
export const pi: Adapter = {
  name: "pi",
  programs: ["pi"],
  call,
  events: {
    session: (record) => session(text(record, "id")),
    // Each `message_update` repeats the whole message so far, so these records are long.
    message_end: (record) => message(inner(record, "message")),
    tool_execution_end: (record) => [
      toolResult(text(record, "toolCallId"), resultText(inner(record, "result").content ?? record.result)),
    ],
    auto_retry_start: (record) => [
      { kind: "recovered" },
      { kind: "notice", text: text(record, "errorMessage") ?? "" },
    ],
    auto_retry_end: (record) => (record.success === true ? [] : [failure(text(record, "finalError"))]),
    agent_end: (record) => agentEnd(list(record, "messages").at(-1) ?? {}),
  },
  usageScope: "run",
  // For a session of another folder it asks a question, takes EOF for an answer, and exits with 0.
  lost: /No session found|Session found in different project/i,
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

function message(whole: JsonRecord): readonly AgentEvent[] {
  if (text(whole, "role") !== "assistant") return [];
  const parts = [...list(whole, "content").flatMap(part), ...used("tokens", usage(inner(whole, "usage")))];
  const turn: readonly AgentEvent[] = parts.length === 0 ? [] : [{ kind: "turn", id: null }, ...parts];
  const end: AgentEvent = isFailed(whole) ? failure(text(whole, "errorMessage")) : { kind: "recovered" };
  return [...model(text(whole, "model")), ...turn, end];
}

function isFailed(whole: JsonRecord): boolean {
  return ["error", "aborted"].includes(text(whole, "stopReason") ?? "");
}

function failure(reason: string | null): AgentEvent {
  if (reason === null) return { kind: "failed", reason: "the model returned an error" };
  // `401 {"error":…}`, as written by the provider's library.
  const status = Number(/^([45]\d\d)\b/.exec(reason)?.[1] ?? Number.NaN);
  return { kind: "failed", reason, why: whyOf(reason, { status: Number.isNaN(status) ? null : status }) };
}

function part(block: JsonRecord): readonly AgentEvent[] {
  const type = text(block, "type");
  if (type === "text") return said(text(block, "text"));
  return type === "toolCall" ? [toolCall(text(block, "id"), text(block, "name"), block.arguments)] : [];
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
    byVariable(place, KEYS) ?? byFile(place, [`${folder}/auth.json`, `${folder}/models.json`]) ?? no(LOG_IN)
  );
}
