import { isObject } from "@uncaged/workflow-agent-kit";
import { LONGEST_ARGUMENT } from "../program.js";
import {
  type AgentEvent,
  asText,
  inner,
  type JsonRecord,
  list,
  model,
  said,
  text,
  toolCall,
  toolResult,
} from "../trace.js";
import type { Adapter, Call, Login, LoginContext, Request } from "./shared.js";
import { byFile, byMember, byVariable, unknown, unless } from "./shared.js";

const KEYS = ["CURSOR_API_KEY"];

/** Cursor's CLI, `cursor-agent -p --output-format stream-json --force --trust`. */
export const cursor: Adapter = {
  name: "cursor",
  // Since 2026 its installer calls it `agent`, and keeps the old name as a link.
  programs: ["cursor-agent", "agent"],
  call,
  sessionIn: "session_id",
  events: {
    system: (record) => model(text(record, "model")),
    assistant: (record) => [
      { kind: "turn", id: null },
      ...list(inner(record, "message"), "content").flatMap((block) => said(text(block, "text"))),
    ],
    tool_call: tool,
    result: (record) => [end(record)],
  },
  usageScope: "run",
  lost: /(?:chat|session|conversation).*(?:not found|does not exist|invalid)/i,
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

/** `{readToolCall: {args, result}}` is a call of `read`. */
function tool(record: JsonRecord): readonly AgentEvent[] {
  const id = text(record, "call_id");
  const [key, value] =
    Object.entries(inner(record, "tool_call")).find(([, inside]) => isObject(inside)) ?? [];
  const reported = isObject(value) ? value : {};
  const name = text(reported, "name") ?? (key ?? "").replace(/ToolCall$/, "");
  const call = toolCall(id, name, reported.args ?? reported.arguments);
  return text(record, "subtype") === "completed" ? [call, toolResult(id, asText(reported.result))] : [call];
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
    unknown("`cursor-agent status` asks the server")
  );
}
