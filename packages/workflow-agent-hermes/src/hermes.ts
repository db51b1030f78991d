import {
  type Adapter,
  type AgentEvent,
  asText,
  type Call,
  count,
  inner,
  type JsonRecord,
  LONGEST_ARGUMENT,
  type LoginContext,
  PROVIDER_KEYS,
  type Request,
  text,
  tokensOf,
} from "@uncaged/workflow-agent-cli";
import { keptSession } from "./session.js";

/** Hermes, `hermes chat --format stream-json`. */
export const hermes: Adapter = {
  name: "hermes",
  programs: ["hermes"],
  call,
  events,
  // Its tokens of a resumed session are not documented: those of the session that it keeps count.
  usageScope: "session",
  lost: ({ stderr }) => /^Session not found: /m.test(stderr),
  reasonIn,
  // A summary forced at the limit is not an answer to the task; with its sign, as an answer may mention the same words.
  failedBy: (stderr) =>
    /^⚠️? *Reached maximum iterations/m.test(stderr) ? "reached its limit of iterations (--max-turns)" : null,
  loginHint: "run `hermes setup`",
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

function events(record: JsonRecord): readonly AgentEvent[] {
  switch (record.type) {
    case "system":
      return [...sessionIn(record), ...modelIn(record)];
    case "text":
      return [{ kind: "text", text: text(record, "text") ?? "", delta: true }];
    case "tool_use":
      return [
        {
          kind: "tool-call",
          id: idOf(record),
          name: text(record, "name") ?? "",
          arguments: asText(record.input),
          at: null,
        },
      ];
    case "tool_result":
      return [
        {
          kind: "tool-result",
          id: idOf(record),
          result: asText(record.output),
          durationMs: count(record, "duration_ms"),
          at: null,
        },
      ];
    case "result":
      return result(record);
    default:
      return [];
  }
}

// Compression can change the id during the run: continue with the result's id.
function sessionIn(record: JsonRecord): readonly AgentEvent[] {
  const id = text(record, "session_id") ?? "";
  return id === "" ? [] : [{ kind: "session", id }];
}

function modelIn(record: JsonRecord): readonly AgentEvent[] {
  const name = text(record, "model") ?? "";
  return name === "" ? [] : [{ kind: "model", name }];
}

function idOf(record: JsonRecord): string {
  return text(record, "tool_call_id") || text(record, "name") || "";
}

function result(record: JsonRecord): readonly AgentEvent[] {
  const used = inner(record, "tokens");
  const cached = (count(used, "cache_read") ?? 0) + (count(used, "cache_write") ?? 0);
  const input = count(used, "input");
  const tokens = tokensOf(input === null ? null : input + cached, count(used, "output"), null);
  const reported: readonly AgentEvent[] = [
    ...sessionIn(record),
    ...(tokens === null ? [] : [{ kind: "usage", tokens } as const]),
  ];
  const error = asText(record.error);
  if (error === "" && record.exit_code === 0)
    return [...reported, { kind: "done", text: text(record, "text") || null }];
  return [...reported, { kind: "failed", reason: error || `exit code ${asText(record.exit_code)}` }];
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
function login({ env, home, read }: LoginContext): ReturnType<Adapter["login"]> {
  const folder = env.HERMES_HOME || `${home}/.hermes`;
  const files = [`${folder}/auth.json`, `${folder}/.env`];
  const found = files.find((path) => /[=:]\s*\S/.test(read(path) ?? ""));
  if (found !== undefined) return { state: "yes", how: found };
  const config = `${folder}/config.yaml`;
  if (read(config) !== null) return { state: "unknown", how: `${config} exists, but no key` };
  return { state: "no", how: "run `hermes setup`" };
}
