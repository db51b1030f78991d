import { isObject } from "@uncaged/workflow-agent-kit";
import { type AgentEvent, asText, inner, type JsonRecord, list, text } from "../events.js";
import { LONGEST_ARGUMENT } from "../program.js";
import type { Adapter, Call, Login, LoginContext, Request } from "./shared.js";
import { byFile, byMember, byVariable, cannotTell, unless } from "./shared.js";

const KEYS = ["CURSOR_API_KEY"];

/** Cursor's CLI, `cursor-agent -p --output-format stream-json --force --trust`. */
export const cursor: Adapter = {
  name: "cursor",
  // Since 2026 its installer calls it `agent`, and keeps the old name as a link.
  programs: ["cursor-agent", "agent"],
  call,
  events,
  usageScope: "run",
  lost: ({ hasSession, stderr }) =>
    !hasSession && /(?:chat|session|conversation).*(?:not found|does not exist|invalid)/i.test(stderr),
  reasonIn: null,
  loginHint: "run `cursor-agent login` (or `agent login`), or set CURSOR_API_KEY",
  login,
  keyVariables: KEYS,
  ownFolders: [".cursor", ".config/cursor"],
  tried: null,
};

/** The prompt is an argument, as documented; one that is too long goes through stdin. */
function call({ prompt, resume, args }: Request): Call {
  const options = [
    ...["-p", "--output-format", "stream-json"],
    ...unless(args, ["-f", "--force", "--yolo", "--sandbox"], ["--force"]),
    // Without it cursor asks about a new folder and waits for ever.
    ...unless(args, ["--trust"], ["--trust"]),
    ...(resume === null ? [] : [`--resume=${resume}`]),
    ...args,
  ];
  if (Buffer.byteLength(prompt) > LONGEST_ARGUMENT) return { args: options, stdin: prompt, env: {} };
  return { args: [...options, "--", prompt], stdin: null, env: {} };
}

function events(record: JsonRecord): readonly AgentEvent[] {
  const id = text(record, "session_id");
  const session: readonly AgentEvent[] = id === null ? [] : [{ kind: "session", id }];
  return [...session, ...eventsOf(record)];
}

function eventsOf(record: JsonRecord): readonly AgentEvent[] {
  switch (text(record, "type")) {
    case "system": {
      const name = text(record, "model");
      return name === null ? [] : [{ kind: "model", name }];
    }
    case "assistant":
      return [{ kind: "turn", id: null }, ...list(inner(record, "message"), "content").flatMap(textEvents)];
    case "tool_call":
      return tool(record);
    case "result":
      return [end(record)];
    default:
      return [];
  }
}

function textEvents(block: JsonRecord): readonly AgentEvent[] {
  const words = text(block, "text");
  return words === null ? [] : [{ kind: "text", text: words, delta: false }];
}

/** `{readToolCall: {args, result}}` is a call of `read`. */
function tool(record: JsonRecord): readonly AgentEvent[] {
  const id = text(record, "call_id") ?? "";
  const [key, value] =
    Object.entries(inner(record, "tool_call")).find(([, inside]) => isObject(inside)) ?? [];
  const reported = isObject(value) ? value : {};
  const name = text(reported, "name") ?? (key ?? "").replace(/ToolCall$/, "");
  const given = asText(reported.args ?? reported.arguments);
  const call: AgentEvent = { kind: "tool-call", id, name, arguments: given, at: null };
  if (text(record, "subtype") !== "completed") return [call];
  return [call, { kind: "tool-result", id, result: asText(reported.result), durationMs: null, at: null }];
}

// `result` is everything that the model said: the answer is the last text.
function end(record: JsonRecord): AgentEvent {
  const success = record.is_error !== true && text(record, "subtype") === "success";
  if (success) return { kind: "done", text: null };
  return { kind: "failed", reason: text(record, "result") ?? text(record, "subtype") ?? "an error" };
}

function login(place: LoginContext): Login {
  const config = place.env.XDG_CONFIG_HOME || `${place.home}/.config`;
  return (
    byVariable(place, KEYS) ??
    byFile(place, [`${config}/cursor/auth.json`]) ??
    byMember(place, `${place.home}/.cursor/cli-config.json`, "authInfo") ??
    cannotTell("`cursor-agent status` asks the server")
  );
}
