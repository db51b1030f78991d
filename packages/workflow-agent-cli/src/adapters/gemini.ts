import { type Why, whyOf } from "@uncaged/workflow-agent-kit";
import {
  type AgentEvent,
  count,
  inner,
  type JsonRecord,
  model,
  recordIn,
  resultText,
  said,
  type Tokens,
  text,
  timeOf,
  tokensOf,
  toolCall,
  toolResult,
  used,
} from "../trace.js";
import type { Adapter, Call, Login, LoginContext, Request } from "./shared.js";
import { byFile, byVariable, isSince, no, sumOfLast, unless } from "./shared.js";

const KEYS = ["GEMINI_API_KEY", "GOOGLE_API_KEY"];

const LOG_IN = "run `gemini` once, or set GEMINI_API_KEY";

/** Gemini CLI, `gemini --output-format stream-json`. */
export const gemini: Adapter = {
  name: "gemini",
  programs: ["gemini"],
  call,
  sessionIn: "session_id",
  events: {
    init: (record) => model(text(record, "model")),
    message: (record) =>
      text(record, "role") === "assistant"
        ? [{ kind: "text", text: text(record, "content") ?? "", delta: record.delta === true }]
        : [],
    tool_use: (record) => [
      toolCall(text(record, "tool_id"), text(record, "tool_name"), record.parameters, timeOf(record)),
    ],
    tool_result: (record) => [
      toolResult(text(record, "tool_id"), resultText(record.output ?? record.error), { at: timeOf(record) }),
    ],
    error: (record) => [{ kind: "notice", text: text(record, "message") ?? "" }],
    result,
  },
  otherEvents: whole,
  usageScope: "run",
  lost: /Error resuming session|Invalid session identifier/i,
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

function result(record: JsonRecord): readonly AgentEvent[] {
  const stats = inner(record, "stats");
  const reported = [...busiestModel(inner(stats, "models")), ...used("usage", streamed(stats))];
  if (text(record, "status") === "success") return [...reported, { kind: "done", text: null }];
  const reason = text(inner(record, "error"), "message") ?? text(record, "status") ?? "an error";
  return [...reported, { kind: "failed", reason }];
}

// The model chosen by `auto` is known only at the end; a small routing model is listed too.
function busiestModel(models: JsonRecord): readonly AgentEvent[] {
  const total = (name: string): number => count(inner(models, name), "total_tokens") ?? 0;
  const [name] = Object.keys(models).sort((left, right) => total(right) - total(left));
  return model(name ?? null);
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
  const reason = text(inner(record, "error"), "message");
  if (reason !== null) return [{ kind: "failed", reason }];
  const response = text(record, "response");
  if (response === null) return [];
  const models = inner(inner(record, "stats"), "models");
  const names = Object.keys(models);
  const sum = (name: string): number =>
    names.reduce((all, each) => all + (count(inner(inner(models, each), "tokens"), name) ?? 0), 0);
  const tokens = names.length === 0 ? null : tokensOf(sum("prompt"), sum("total") - sum("prompt"), null);
  return [
    ...model(names[0] ?? null),
    ...said(response),
    ...used("usage", tokens),
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
    no(LOG_IN)
  );
}
