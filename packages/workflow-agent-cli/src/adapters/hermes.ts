import { isObject, isSessionId, type ToolCallFacts, type TurnFacts } from "@uncaged/workflow-agent-kit";
import { callProgram, findProgram, LONGEST_ARGUMENT, type Surroundings } from "../program.js";
import {
  type AgentEvent,
  asText,
  count,
  inner,
  type JsonRecord,
  list,
  model,
  recordIn,
  sumOf,
  type Tokens,
  text,
  tokensOf,
  toolCall,
  toolResult,
  usageBetween,
  used,
} from "../trace.js";
import {
  type Adapter,
  type Call,
  type KeptSession,
  type Login,
  type LoginContext,
  no,
  PROVIDER_KEYS,
  type Request,
  unknown,
} from "./shared.js";

/** One row of `sessions` with its messages, as `hermes sessions export` prints it, after the gate. */
type HermesSession = {
  readonly parent: string | null;
  readonly model: string | null;
  readonly cwd: string | null;
  /** Epoch ms. */
  readonly startedAt: number | null;
  /** Sums over the whole session, resumes included. */
  readonly totals: Tokens | null;
  /** Active ones, by id. */
  readonly messages: readonly HermesMessage[];
};

type HermesMessage = {
  readonly id: number;
  readonly role: string;
  readonly text: string;
  readonly toolCalls: readonly HermesToolCall[];
  /** Of a tool's answer. */
  readonly toolCallId: string | null;
  /** Epoch ms. */
  readonly at: number | null;
};

type HermesToolCall = { readonly id: string; readonly name: string; readonly arguments: string };

// Gate: the exported session becomes typed here. Unknown fields are ignored, since versions only add.

/** The session in an export's output; `null` for an unknown id, which gives a message and exit code 0. */
export function parseSession(stdout: string): HermesSession | null {
  const row = stdout
    .split("\n")
    .map(recordIn)
    .find((record) => Array.isArray(record?.messages));
  return row === undefined || row === null ? null : asSession(row);
}

function asSession(row: JsonRecord): HermesSession {
  return {
    parent: text(row, "parent_session_id"),
    model: text(row, "model"),
    cwd: text(row, "cwd"),
    startedAt: milliseconds(row, "started_at"),
    totals: asTotals(row),
    messages: list(row, "messages")
      .filter((message) => message.active !== 0 && message.active !== false)
      .map(asMessage)
      .sort((left, right) => left.id - right.id),
  };
}

function asTotals(row: JsonRecord): Tokens | null {
  const input = count(row, "input_tokens");
  const cached = (count(row, "cache_read_tokens") ?? 0) + (count(row, "cache_write_tokens") ?? 0);
  return tokensOf(input === null ? null : input + cached, count(row, "output_tokens"), costOf(row));
}

function costOf(row: JsonRecord): number | null {
  const actual = count(row, "actual_cost_usd");
  return actual ?? (row.cost_status === "unknown" ? null : count(row, "estimated_cost_usd"));
}

function asMessage(message: JsonRecord): HermesMessage {
  return {
    id: count(message, "id") ?? 0,
    role: text(message, "role") ?? "",
    text: contentText(message.content),
    toolCalls: asList(message.tool_calls).filter(isObject).map(asToolCall),
    toolCallId: text(message, "tool_call_id"),
    at: milliseconds(message, "timestamp"),
  };
}

function asToolCall(call: JsonRecord): HermesToolCall {
  const called = isObject(call.function) ? inner(call, "function") : call;
  const given = called.arguments;
  return {
    id: text(call, "id") ?? text(call, "call_id") ?? "",
    name: text(called, "name") ?? "",
    arguments: typeof given === "string" ? given : JSON.stringify(given ?? {}),
  };
}

const MULTIMODAL = "\0json:";

/** A string, or the texts of a list of parts, which the database stores with a prefix. */
function contentText(content: unknown): string {
  if (typeof content === "string") {
    if (!content.startsWith(MULTIMODAL)) return content;
    const parts = asList(content.slice(MULTIMODAL.length));
    return parts.length === 0 ? content : contentText(parts);
  }
  if (!Array.isArray(content)) return "";
  return content
    .map((part) => (typeof part === "string" ? part : isObject(part) ? (text(part, "text") ?? "") : ""))
    .join("");
}

/** A list, or the JSON text of one. */
function asList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value !== "string") return [];
  try {
    const parsed: unknown = JSON.parse(value);
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    return [];
  }
}

function milliseconds(record: JsonRecord, name: string): number | null {
  const seconds = count(record, name);
  return seconds === null ? null : Math.round(seconds * 1000);
}

/** One turn per answer of the model: its input, its text, its tool calls with results. */
export function turnsOf(messages: readonly HermesMessage[]): readonly TurnFacts[] {
  const turns: TurnFacts[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role !== "assistant") continue;
    const before = index === 0 ? null : (messages[index - 1] ?? null);
    turns.push({
      input: inputBefore(messages, index),
      output: message.text,
      toolCalls: message.toolCalls.map((call) => toolCallOf(call, messages, index)),
      // Hermes keeps sums per session only.
      tokens: null,
      latencyMs: between(before, message),
    });
  }
  return turns;
}

/** The messages since the model's last answer: the user's, or tool results. */
function inputBefore(messages: readonly HermesMessage[], index: number): string {
  const given: string[] = [];
  for (let at = index - 1; at >= 0 && messages[at]?.role !== "assistant"; at -= 1) {
    given.unshift(messages[at]?.text ?? "");
  }
  return given.join("\n\n");
}

function toolCallOf(call: HermesToolCall, messages: readonly HermesMessage[], index: number): ToolCallFacts {
  const at = messages.findIndex(
    (message, place) => place > index && message.role === "tool" && message.toolCallId === call.id,
  );
  const result = messages[at] ?? null;
  const before = messages[at - 1] ?? null;
  return {
    name: call.name,
    arguments: call.arguments,
    result: result?.text ?? "",
    durationMs: result === null ? null : between(before, result),
  };
}

function between(before: HermesMessage | null, after: HermesMessage): number | null {
  if (before === null || before.at === null || after.at === null) return null;
  return Math.max(0, after.at - before.at);
}

/** An export contains the whole session with every tool result. */
const EXPORT_BYTES = 128 * 1024 * 1024;

const TIMEOUT_MS = 60_000;

async function exportSession(id: string, place: Surroundings): Promise<HermesSession | null> {
  const found = findProgram(["hermes"], place);
  // The id comes from the output of hermes, or from a session that it keeps.
  if (!isSessionId(id) || !found.ok) return null;
  const args = ["sessions", "export", "-", `--session-id=${id}`];
  const limits = { timeoutMs: TIMEOUT_MS, stdoutBytes: EXPORT_BYTES };
  const called = await callProgram({ command: found.value, args, ...limits }, place);
  return called.ok && called.run.code === 0 ? parseSession(called.run.stdout) : null;
}

/** More splits of one run than this are not followed. */
const MOST_PARENTS = 8;

/** Hermes has the same clock, but rounds. */
const SLACK_MS = 1000;

/** A session, with the messages and totals of those that compression split off during the run. */
async function exportRun(id: string, since: number, place: Surroundings): Promise<HermesSession | null> {
  const session = await exportSession(id, place);
  if (session === null) return null;
  let { totals, messages, parent } = session;
  for (let hop = 0; parent !== null && hop < MOST_PARENTS; hop += 1) {
    const earlier = await exportSession(parent, place);
    if (earlier === null || (earlier.startedAt ?? 0) < since - SLACK_MS) break;
    totals = earlier.totals === null || totals === null ? null : sumOf([earlier.totals, totals]);
    messages = [...earlier.messages, ...messages];
    parent = earlier.parent;
  }
  return { ...session, totals, messages };
}

/** The session that hermes keeps has complete tool results and sums; its stream's results are cut. */
const keptSession: KeptSession = async (resume, place) => {
  const before = resume === null ? null : await exportSession(resume, place);
  const used = resume === null ? { input: 0, output: 0, costUsd: 0 } : (before?.totals ?? null);
  const last = Math.max(-1, ...(before?.messages ?? []).map(({ id }) => id));
  return async (sessionId, since) => {
    const whole = await exportRun(sessionId, since, place);
    if (whole === null) return null;
    return {
      cwd: whole.cwd ?? place.cwd,
      model: whole.model,
      turns: turnsOf(whole.messages.filter(({ id }) => id > last)),
      usage: usageBetween(used, whole.totals),
    };
  };
};

const LOG_IN = "run `hermes setup`";

/** Hermes, `hermes chat --format stream-json`. */
export const hermes: Adapter = {
  name: "hermes",
  programs: ["hermes"],
  call,
  // Compression can change the id during the run: the last one counts.
  sessionIn: "session_id",
  events: {
    system: (record) => model(text(record, "model") || null),
    text: (record) => [{ kind: "text", text: text(record, "text") ?? "", delta: true }],
    tool_use: (record) => [toolCall(idOf(record), text(record, "name"), record.input)],
    tool_result: (record) => [
      toolResult(idOf(record), asText(record.output), { durationMs: count(record, "duration_ms") }),
    ],
    result,
  },
  // Its tokens of a resumed session are not documented: those of the session that it keeps count.
  usageScope: "session",
  lost: /^Session not found: /m,
  reasonIn,
  // A summary forced at the limit is not an answer to the task; with its sign, as an answer may mention the same words.
  failedBy: (stderr) =>
    /^⚠️? *Reached maximum iterations/m.test(stderr) ? "reached its limit of iterations (--max-turns)" : null,
  loginHint: LOG_IN,
  login,
  keyVariables: PROVIDER_KEYS,
  ownFolders: [".hermes"],
  tried: null,
  keptSession,
};

/** One prompt without questions: everything is approved, at most 90 rounds of tools. */
function call({ prompt, resume, args }: Request): Call {
  const isLong = Buffer.byteLength(prompt) > LONGEST_ARGUMENT;
  return {
    args: [
      "chat",
      ...(resume === null ? [] : [`--resume=${resume}`]),
      ...(isLong ? ["--query-file", "-"] : [`--query=${prompt}`]),
      ...["--yolo", "--max-turns", "90", "--format", "stream-json", ...args],
    ],
    stdin: isLong ? prompt : null,
    env: {},
  };
}

function idOf(record: JsonRecord): string {
  return text(record, "tool_call_id") || text(record, "name") || "";
}

function result(record: JsonRecord): readonly AgentEvent[] {
  const counts = inner(record, "tokens");
  const cached = (count(counts, "cache_read") ?? 0) + (count(counts, "cache_write") ?? 0);
  const input = count(counts, "input");
  const tokens = tokensOf(input === null ? null : input + cached, count(counts, "output"), null);
  const error = asText(record.error);
  const end: AgentEvent =
    error === "" && record.exit_code === 0
      ? { kind: "done", text: text(record, "text") || null }
      : { kind: "failed", reason: error || `exit code ${asText(record.exit_code)}` };
  return [...used("usage", tokens), end];
}

/** Its first line that is not one of those about the session, which every run prints. */
function reasonIn(stderr: string): string | null {
  if (/unrecognized arguments: --format/.test(stderr)) return "update hermes: it has no --format stream-json";
  const lines = stderr.split("\n").map((line) => line.trim());
  return (
    lines.find((line) => /^Error: /.test(line)) ??
    lines.find((line) => line !== "" && !/^session_id: |^↻ |tirith security scanner/.test(line)) ??
    null
  );
}

// Keys are in .env, logins in auth.json; a config.yaml may name an endpoint that needs neither.
function login({ env, home, read }: LoginContext): Login {
  const folder = env.HERMES_HOME || `${home}/.hermes`;
  const files = [`${folder}/auth.json`, `${folder}/.env`];
  const found = files.find((path) => /[=:]\s*\S/.test(read(path) ?? ""));
  if (found !== undefined) return { state: "yes", how: found };
  const config = `${folder}/config.yaml`;
  return read(config) === null ? no(LOG_IN) : unknown(`${config} exists, but no key`);
}
