import { type Why, whyOf } from "@uncaged/workflow-agent-kit";
import {
  type AgentEvent,
  asText,
  count,
  inner,
  type JsonRecord,
  recordIn,
  resultText,
  type Tokens,
  text,
  timeOf,
  tokensOf,
} from "../events.js";
import type { Adapter, Call, Login, LoginContext, Request } from "./shared.js";
import { byFile, byVariable, isSince, notLoggedIn, sumOfLast, unless } from "./shared.js";

const KEYS = ["GEMINI_API_KEY", "GOOGLE_API_KEY"];

const LOG_IN = "run `gemini` once, or set GEMINI_API_KEY";

/** Gemini CLI, `gemini --output-format stream-json`. */
export const gemini: Adapter = {
  name: "gemini",
  programs: ["gemini"],
  call,
  events,
  usageScope: "run",
  lost: ({ stderr }) => /Error resuming session|Invalid session identifier/i.test(stderr),
  reasonIn,
  why: whyByCode,
  loginHint: LOG_IN,
  login,
  keyVariables: KEYS,
  ownFolders: [".gemini"],
  tried: { package: "@google/gemini-cli", version: "0.61.0", scripts: false },
  sessionFile: {
    folder: ({ home }) => `${home}/.gemini/tmp`,
    isOf: (name, sessionId) =>
      name.startsWith("session-") && name.endsWith(`-${sessionId.slice(0, 8)}.jsonl`),
    tokens: written,
  },
};

/** A message is written again when it grows. */
function written(records: readonly JsonRecord[], since: number): Tokens | null {
  return sumOfLast(
    records.flatMap((record) => {
      const id = text(record, "id");
      const tokens = inner(record, "tokens");
      const input = count(tokens, "input");
      const total = count(tokens, "total");
      if (id === null || input === null || total === null || !isSince(record, since)) return [];
      return [[id, { input, output: total - input, costUsd: null }] as const];
    }),
  );
}

/** Its own codes, or the provider's status modulo 256: 145 is 401. */
function whyByCode(code: number | null, outcome: string): Why | null {
  if (code === 41) return { reason: "auth" };
  if (code === 53) return { reason: "limit-reached" };
  return code !== null && code >= 144 && code <= 248 ? whyOf(outcome, { status: code + 256 }) : null;
}

/** With a prompt on stdin it asks nothing. Without the variable it has no tools in an untrusted folder. */
function call({ prompt, resume, args }: Request): Call {
  return {
    args: [
      ...["--output-format", "stream-json"],
      ...unless(args, ["-y", "--yolo", "--approval-mode"], ["--yolo"]),
      ...(resume === null ? [] : [`--resume=${resume}`]),
      ...args,
    ],
    stdin: prompt,
    env: { GEMINI_CLI_TRUST_WORKSPACE: "true" },
  };
}

function events(record: JsonRecord): readonly AgentEvent[] {
  switch (text(record, "type")) {
    case "init":
      return [...sessionIn(record), { kind: "model", name: text(record, "model") ?? "" }];
    case "message": {
      if (text(record, "role") !== "assistant") return [];
      return [{ kind: "text", text: text(record, "content") ?? "", delta: record.delta === true }];
    }
    case "tool_use":
      return [toolCall(record)];
    case "tool_result":
      return [toolResult(record)];
    case "error":
      return [{ kind: "notice", text: text(record, "message") ?? "" }];
    case "result":
      return result(record);
    default:
      return whole(record);
  }
}

function sessionIn(record: JsonRecord): readonly AgentEvent[] {
  const id = text(record, "session_id");
  return id === null ? [] : [{ kind: "session", id }];
}

function toolCall(record: JsonRecord): AgentEvent {
  return {
    kind: "tool-call",
    id: text(record, "tool_id") ?? "",
    name: text(record, "tool_name") ?? "",
    arguments: asText(record.parameters),
    at: timeOf(record),
  };
}

function toolResult(record: JsonRecord): AgentEvent {
  const result = resultText(record.output ?? record.error);
  const id = text(record, "tool_id") ?? "";
  return { kind: "tool-result", id, result, durationMs: null, at: timeOf(record) };
}

function result(record: JsonRecord): readonly AgentEvent[] {
  const stats = inner(record, "stats");
  const tokens = streamed(stats);
  const used: readonly AgentEvent[] = [
    ...busiestModel(inner(stats, "models")),
    ...(tokens === null ? [] : [{ kind: "usage", tokens } as const]),
  ];
  if (text(record, "status") === "success") return [...used, { kind: "done", text: null }];
  const reason = text(inner(record, "error"), "message") ?? text(record, "status") ?? "an error";
  return [...used, { kind: "failed", reason }];
}

// The model chosen by `auto` is known only at the end; a small routing model is listed too.
function busiestModel(models: JsonRecord): readonly AgentEvent[] {
  const total = (name: string): number => count(inner(models, name), "total_tokens") ?? 0;
  const [name] = Object.keys(models).sort((left, right) => total(right) - total(left));
  return name === undefined ? [] : [{ kind: "model", name }];
}

// Input includes cached tokens; the rest of the total is thoughts, billed as output.
function streamed(stats: JsonRecord): Tokens | null {
  const input = count(stats, "input_tokens");
  const output = count(stats, "output_tokens");
  if (input === null || output === null) return null;
  return tokensOf(input, Math.max(output, (count(stats, "total_tokens") ?? 0) - input), null);
}

/** `--output-format json`: one object for everything; a failure is on stderr. */
function whole(record: JsonRecord): readonly AgentEvent[] {
  const error = inner(record, "error");
  if (text(error, "message") !== null) {
    return [...sessionIn(record), { kind: "failed", reason: text(error, "message") ?? "" }];
  }
  const response = text(record, "response");
  if (response === null) return [];
  const models = inner(inner(record, "stats"), "models");
  const names = Object.keys(models);
  const sum = (name: string): number =>
    names.reduce((all, model) => all + (count(inner(inner(models, model), "tokens"), name) ?? 0), 0);
  const tokens = names.length === 0 ? null : tokensOf(sum("prompt"), sum("total") - sum("prompt"), null);
  const [model] = names;
  return [
    ...sessionIn(record),
    ...(model === undefined ? [] : [{ kind: "model", name: model } as const]),
    { kind: "text", text: response, delta: false },
    ...(tokens === null ? [] : [{ kind: "usage", tokens } as const]),
    { kind: "done", text: null },
  ];
}

/** A failure's message is in a JSON object at the end of stderr, after stack traces; else in the last attempt's line. */
function reasonIn(stderr: string): string | null {
  const start = stderr.lastIndexOf("\n{\n");
  const record = start === -1 ? null : recordIn(stderr.slice(start).trim());
  const message = record === null ? null : text(inner(record, "error"), "message");
  const attempts = [...stderr.matchAll(/^(?:Attempt \d+ failed with|Error).*$/gm)];
  return message ?? attempts.at(-1)?.[0] ?? null;
}

function login(place: LoginContext): Login {
  return (
    byVariable(place, [...KEYS, "GOOGLE_GENAI_USE_VERTEXAI"]) ??
    byFile(place, [`${place.home}/.gemini/oauth_creds.json`]) ??
    notLoggedIn(LOG_IN)
  );
}
