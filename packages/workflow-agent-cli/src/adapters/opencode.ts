import { type Why, whyOf } from "@uncaged/workflow-agent-kit";
import {
  type AgentEvent,
  asText,
  count,
  inner,
  type JsonRecord,
  said,
  type Tokens,
  text,
  tokensOf,
  toolCall,
  toolResult,
  used,
} from "../trace.js";
import type { Adapter, Call, Login, LoginContext, Request } from "./shared.js";
import { byFile, byVariable, PROVIDER_KEYS, unknown, unless } from "./shared.js";

/** opencode, `opencode run --format json`. */
export const opencode: Adapter = {
  name: "opencode",
  programs: ["opencode"],
  call,
  sessionIn: "sessionID",
  events: {
    step_start: inTurn(() => []),
    text: inTurn((part) => said(text(part, "text"))),
    tool_use: inTurn((part) => tool(part, inner(part, "state"))),
    step_finish: inTurn(finish),
    error: (record) => [failure(inner(record, "error"))],
  },
  usageScope: "run",
  lost: /session not found/i,
  loginHint: "run `opencode auth login`, or set the key of a provider",
  login,
  keyVariables: PROVIDER_KEYS,
  ownFolders: [".config/opencode", ".local/share/opencode", ".local/state/opencode", ".cache/opencode"],
  tried: { package: "opencode-ai", version: "1.18.33", scripts: true },
};

/** No person is there to confirm calls; those that the user's configuration denies stay denied. */
function call({ prompt, resume, args }: Request): Call {
  const session = resume === null ? [] : [`--session=${resume}`];
  const free = unless(args, ["--auto", "--no-auto"], ["--auto"]);
  return { args: ["run", "--format", "json", ...free, ...session, ...args], stdin: prompt, env: {} };
}

/** The events of a part, which says of which message it is. */
function inTurn(eventsOf: (part: JsonRecord) => readonly AgentEvent[]): Adapter["events"][string] {
  return (record) => {
    const part = inner(record, "part");
    return [{ kind: "turn", id: text(part, "messageID") }, ...eventsOf(part)];
  };
}

function tool(part: JsonRecord, state: JsonRecord): readonly AgentEvent[] {
  const id = text(part, "callID");
  const [start, end] = [count(inner(state, "time"), "start"), count(inner(state, "time"), "end")];
  const durationMs = start === null || end === null ? null : Math.max(0, end - start);
  return [
    toolCall(id, text(part, "tool"), state.input),
    toolResult(id, asText(state.output ?? state.error), { durationMs }),
  ];
}

// There is no terminal record: the run ends with a model call without tool calls.
function finish(part: JsonRecord): readonly AgentEvent[] {
  const reason = text(part, "reason") ?? "unknown";
  return [
    ...used("tokens", usage(part, inner(part, "tokens"))),
    reason === "stop"
      ? { kind: "done", text: null }
      : { kind: "notice", text: `the model stopped: ${reason}` },
  ];
}

// The rest of the total is reasoning.
function usage(part: JsonRecord, reported: JsonRecord): Tokens | null {
  const given = count(reported, "input");
  const output = count(reported, "output");
  if (given === null || output === null) return null;
  const cache = inner(reported, "cache");
  const input = given + (count(cache, "read") ?? 0) + (count(cache, "write") ?? 0);
  return tokensOf(input, Math.max(output, (count(reported, "total") ?? 0) - input), count(part, "cost"));
}

const NAMED: Readonly<Record<string, Why>> = {
  ProviderAuthError: { reason: "auth" },
  ContextOverflowError: { reason: "context-overflow" },
  MessageOutputLengthError: { reason: "limit-reached" },
};

function failure(error: JsonRecord): AgentEvent {
  const data = inner(error, "data");
  const name = text(error, "name") ?? "";
  const reason = text(data, "message") ?? text(error, "message") ?? (name || "an error");
  const status = count(data, "statusCode");
  if (status === null) return { kind: "failed", reason, why: NAMED[name] ?? whyOf(reason) };
  const words = `${reason} ${text(data, "responseBody") ?? ""}`;
  const retryAfter = Number.parseFloat(text(inner(data, "responseHeaders"), "retry-after") ?? "");
  const why = whyOf(words, { status, retryAfter: retryAfter > 0 ? retryAfter : null });
  return { kind: "failed", reason, why };
}

function login(place: LoginContext): Login {
  const data = place.env.XDG_DATA_HOME || `${place.home}/.local/share`;
  const config = place.env.XDG_CONFIG_HOME || `${place.home}/.config`;
  const configs = ["opencode.json", "opencode.jsonc"].map((name) => `${config}/opencode/${name}`);
  return (
    byFile(place, [`${data}/opencode/auth.json`]) ??
    byVariable(place, PROVIDER_KEYS) ??
    byFile(place, configs) ??
    unknown("some of its models need no login; `opencode auth login` logs in")
  );
}
