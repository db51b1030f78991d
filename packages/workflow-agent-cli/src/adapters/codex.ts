import {
  type AgentEvent,
  count,
  inner,
  type JsonRecord,
  resultText,
  said,
  type Tokens,
  text,
  tokensOf,
  toolCall,
  toolResult,
  used,
} from "../trace.js";
import type { Adapter, Call, Login, LoginContext, Request } from "./shared.js";
import { byFile, byVariable, no, unknown, unless } from "./shared.js";

const KEYS = ["CODEX_API_KEY", "OPENAI_API_KEY"];

const LOG_IN = "run `codex login`, or set CODEX_API_KEY";

/** OpenAI Codex, `codex exec --json`. */
export const codex: Adapter = {
  name: "codex",
  programs: ["codex"],
  call,
  sessionIn: "thread_id",
  events: {
    "item.started": (record) => item(inner(record, "item"), false),
    "item.completed": (record) => item(inner(record, "item"), true),
    "turn.completed": (record) => completed(inner(record, "usage")),
    "turn.failed": (record) => [
      { kind: "failed", reason: text(inner(record, "error"), "message") ?? "the turn failed" },
    ],
    // Also printed before each retry of the model.
    error: (record) => [{ kind: "notice", text: text(record, "message") ?? "" }],
  },
  usageScope: "session",
  lost: /no rollout found|thread\/resume failed/i,
  loginHint: LOG_IN,
  login,
  keyVariables: KEYS,
  ownFolders: [".codex"],
  tried: { package: "@openai/codex", version: "0.169.0", scripts: false },
  sessionFile: {
    folder: (place) => `${codexHome(place)}/sessions`,
    isOf: (name, sessionId) => name.startsWith("rollout-") && name.endsWith(`-${sessionId}.jsonl`),
    tokens: written,
  },
};

/** Counts are totals of the session, updated after each model call. */
function written(records: readonly JsonRecord[]): Tokens | null {
  const last = records.findLast((record) => text(inner(record, "payload"), "type") === "token_count");
  if (last === undefined) return null;
  const total = inner(inner(inner(last, "payload"), "info"), "total_token_usage");
  return tokensOf(count(total, "input_tokens"), count(total, "output_tokens"), null);
}

function codexHome({ env, home }: Pick<LoginContext, "env" | "home">): string {
  return env.CODEX_HOME || `${home}/.codex`;
}

const SANDBOX = [
  "-s",
  "--sandbox",
  "--full-auto",
  "--dangerously-bypass-approvals-and-sandbox",
  "--yolo",
  "-p",
  "--profile",
];

const FREE = ["--dangerously-bypass-approvals-and-sandbox"];

/** Options come before `resume`: the subcommand accepts only some of them, and what stands behind `--` is none. */
function call({ prompt, resume, args }: Request): Call {
  const options = ["--json", "--skip-git-repo-check", ...unless(args, SANDBOX, FREE), ...args];
  const session = resume === null ? [] : ["resume", "--", resume];
  return { args: ["exec", ...options, ...session, "-"], stdin: prompt, env: {} };
}

/** Thoughts, plans and warnings; warnings come as items of type error in runs that succeed. */
const SILENT: ReadonlySet<string> = new Set(["reasoning", "todo_list", "error"]);

function item(reported: JsonRecord, ended: boolean): readonly AgentEvent[] {
  const type = text(reported, "type") ?? "";
  if (SILENT.has(type)) return [];
  if (type !== "agent_message") return tool(reported, type, ended);
  return ended ? [{ kind: "turn", id: null }, ...said(text(reported, "text") ?? "")] : [];
}

/** Members of an item that are its result, or irrelevant. */
const OUTCOME: ReadonlySet<string> = new Set([
  "id",
  "type",
  "status",
  "aggregated_output",
  "exit_code",
  "result",
  "error",
]);

function tool(reported: JsonRecord, type: string, ended: boolean): readonly AgentEvent[] {
  const id = text(reported, "id");
  const given = Object.fromEntries(Object.entries(reported).filter(([member]) => !OUTCOME.has(member)));
  const call = toolCall(id, text(reported, "tool") ?? type, given);
  return ended ? [call, toolResult(id, outcome(reported))] : [call];
}

function outcome(reported: JsonRecord): string {
  const output = reported.aggregated_output ?? reported.error ?? reported.result ?? reported.status;
  const code = count(reported, "exit_code") ?? 0;
  const words = resultText(inner(reported, "result").content ?? output);
  return code === 0 ? words : `${words}\n[exit code ${code}]`;
}

// Input includes cached tokens, output includes reasoning.
function completed(usage: JsonRecord): readonly AgentEvent[] {
  const tokens = tokensOf(count(usage, "input_tokens"), count(usage, "output_tokens"), null);
  return [...used("usage", tokens), { kind: "done", text: null }];
}

function login(place: LoginContext): Login {
  const folder = codexHome(place);
  const known = byVariable(place, KEYS) ?? byFile(place, [`${folder}/auth.json`]);
  const config = `${folder}/config.toml`;
  const isOwn = /^\s*model_provider\s*=/m.test(place.read(config) ?? "");
  return known ?? (isOwn ? unknown(`${config} configures its own provider`) : no(LOG_IN));
}
