import {
  type AgentEvent,
  asText,
  count,
  inner,
  type JsonRecord,
  model,
  text,
  tokensOf,
  toolCall,
  toolResult,
  used,
} from "../events.js";
import { LONGEST_ARGUMENT } from "../program.js";
import { keptSession } from "./hermes-session.js";
import {
  type Adapter,
  type Call,
  type Login,
  type LoginContext,
  no,
  PROVIDER_KEYS,
  type Request,
  unknown,
} from "./shared.js";

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
