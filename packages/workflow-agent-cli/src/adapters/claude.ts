import { isObject, type Why, whyOf } from "@uncaged/workflow-agent-kit";
import {
  type AgentEvent,
  asText,
  count,
  inner,
  type JsonRecord,
  list,
  model,
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
import { byFile, byMember, byVariable, isSince, no, sumOfLast, unknown, unless } from "./shared.js";

const LOGIN_KEYS = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"];

/** With the keys of Amazon Bedrock, and the headers that it sends along. */
const KEYS = [
  ...LOGIN_KEYS,
  "ANTHROPIC_CUSTOM_HEADERS",
  "ANTHROPIC_FOUNDRY_API_KEY",
  "AWS_BEARER_TOKEN_BEDROCK",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
];

const LOG_IN = "run `claude` and /login, or set ANTHROPIC_API_KEY";

/** Claude Code, `claude -p --output-format stream-json --verbose`. */
export const claude: Adapter = {
  name: "claude",
  programs: ["claude"],
  call,
  sessionIn: "session_id",
  events: {
    system: (record) => model(text(record, "model")),
    assistant: (record) => assistant(inner(record, "message")),
    user: (record) => list(inner(record, "message"), "content").flatMap(answer),
    result,
  },
  usageScope: "run",
  lost: /No conversation found/i,
  loginHint: LOG_IN,
  login,
  keyVariables: KEYS,
  ownFolders: [".claude", ".claude.json", ".cache/claude"],
  tried: { package: "@anthropic-ai/claude-code", version: "2.1.197", scripts: true },
  sessionFile: {
    folder: (place) => `${configFolder(place)}/projects`,
    isOf: (name, sessionId) => name === `${sessionId}.jsonl`,
    tokens: written,
  },
};

const PERMISSIONS = [
  "--permission-mode",
  "--dangerously-skip-permissions",
  "--allowedTools",
  "--allowed-tools",
];

/** The tools of a role, for root: as root Claude Code does not skip permissions outside a sandbox. */
const TOOLS = "Bash,Edit,Write,NotebookEdit,Read,Glob,Grep,WebFetch,WebSearch,Task,TodoWrite";

function call({ prompt, resume, args, env, isRoot }: Request): Call {
  const free = isRoot && env.IS_SANDBOX !== "1" ? "acceptEdits" : "bypassPermissions";
  const tools = free === "acceptEdits" ? ["--allowedTools", TOOLS] : [];
  return {
    args: [
      ...["-p", "--output-format", "stream-json", "--verbose"],
      ...unless(args, PERMISSIONS, [...tools, "--permission-mode", free]),
      ...(resume === null ? [] : [`--resume=${resume}`]),
      ...args,
    ],
    stdin: prompt,
    env: {},
  };
}

// A message comes in several records, one per part. Their token counts are those at its beginning.
function assistant(message: JsonRecord): readonly AgentEvent[] {
  return [{ kind: "turn", id: text(message, "id") }, ...list(message, "content").flatMap(part)];
}

function part(block: JsonRecord): readonly AgentEvent[] {
  const type = text(block, "type");
  if (type === "text") return said(text(block, "text"));
  return type === "tool_use" ? [toolCall(text(block, "id"), text(block, "name"), block.input)] : [];
}

// A user message within a run is the prompt of a subagent.
function answer(block: JsonRecord): readonly AgentEvent[] {
  const message = text(block, "text");
  if (message !== null) return [{ kind: "input", text: message }];
  if (text(block, "type") !== "tool_result") return [];
  return [toolResult(text(block, "tool_use_id"), resultText(block.content))];
}

function result(record: JsonRecord): readonly AgentEvent[] {
  const reported = [...list(record, "permission_denials").map(refusal), ...used("usage", usage(record))];
  const subtype = text(record, "subtype") ?? "error";
  // An API error has both "success" and is_error.
  if (record.is_error !== true && subtype === "success") {
    return [...reported, { kind: "done", text: text(record, "result") }];
  }
  const errors = Array.isArray(record.errors) ? record.errors.map(asText).join("; ") : "";
  const reason = text(record, "result") ?? (errors || subtype);
  return [...reported, { kind: "failed", reason, why: whyIn(record, subtype, `${subtype} ${reason}`) }];
}

function whyIn(record: JsonRecord, subtype: string, words: string): Why {
  if (subtype.startsWith("error_max_")) return { reason: "limit-reached" };
  if (text(record, "stop_reason") === "refusal") return { reason: "refused" };
  return whyOf(words, { status: count(record, "api_error_status") });
}

function refusal(denial: JsonRecord, index: number): AgentEvent {
  const id = text(denial, "tool_use_id") ?? `refused ${index}`;
  return {
    kind: "tool-refused",
    id,
    name: text(denial, "tool_name") ?? "",
    arguments: asText(denial.tool_input),
  };
}

// The sum by model includes subagents, as the cost does; without it, the usage of the process.
function usage(record: JsonRecord): Tokens | null {
  const cost = count(record, "total_cost_usd");
  const models = Object.values(inner(record, "modelUsage")).filter(isObject);
  if (models.length > 0) {
    const sum = (...names: readonly string[]): number =>
      models.reduce(
        (total, model) => total + names.reduce((all, name) => all + (count(model, name) ?? 0), 0),
        0,
      );
    const input = sum("inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens");
    return tokensOf(input, sum("outputTokens"), cost);
  }
  const ofProcess = tokensIn(inner(record, "usage"));
  return ofProcess === null ? null : { ...ofProcess, costUsd: cost };
}

/** A message comes in several records; here, unlike on stdout, with all its tokens. */
function written(records: readonly JsonRecord[], since: number): Tokens | null {
  return sumOfLast(
    records.flatMap((record) => {
      const message = inner(record, "message");
      const id = text(message, "id");
      const tokens = tokensIn(inner(message, "usage"));
      return id === null || tokens === null || !isSince(record, since) ? [] : [[id, tokens] as const];
    }),
  );
}

function tokensIn(counts: JsonRecord): Tokens | null {
  const input = count(counts, "input_tokens");
  const cached =
    (count(counts, "cache_creation_input_tokens") ?? 0) + (count(counts, "cache_read_input_tokens") ?? 0);
  return tokensOf(input === null ? null : input + cached, count(counts, "output_tokens"), null);
}

function configFolder({ env, home }: Pick<LoginContext, "env" | "home">): string {
  return env.CLAUDE_CONFIG_DIR || `${home}/.claude`;
}

function login(place: LoginContext): Login {
  const folder = configFolder(place);
  const known =
    byVariable(place, [...LOGIN_KEYS, "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX"]) ??
    byFile(place, [`${folder}/.credentials.json`]) ??
    byMember(place, `${folder}/settings.json`, "apiKeyHelper");
  const isHidden = place.platform === "darwin";
  return known ?? (isHidden ? unknown("the keychain cannot be read") : no(LOG_IN));
}
