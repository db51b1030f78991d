import type { AgentEvent, JsonRecord, Tokens } from "@uncaged/workflow-agent-cli";

// The output of `hermes chat --quiet` on stdout and stderr. Lines that changed the stream:
// `session_id:` moved from stdout to stderr in April 2026, the resume lines in May.

/** The last one counts: compression can change the id during the run. */
const SESSION_LINE = /^session_id: (\S+)[ \t]*$/gm;
/** Without --quiet, and in versions without that option. */
const RESUME_HINT = /^[ \t]*hermes --resume (\S+)[ \t]*$/gm;

/** The session's id, from either stream; `null`: in neither. */
export function sessionIdIn(stdout: string, stderr: string): string | null {
  const out = unixLines(stdout);
  return last(unixLines(stderr), SESSION_LINE) ?? last(out, SESSION_LINE) ?? last(out, RESUME_HINT);
}

function last(text: string, pattern: RegExp): string | null {
  return [...text.matchAll(pattern)].at(-1)?.[1] ?? null;
}

/** With its sign: an answer may mention the same words. */
const LIMIT_LINE = /^⚠️? *Reached maximum iterations/m;

const NOISE = [
  /tirith security scanner/,
  /^session_id: \S+\s*$/,
  /^↻ (?:Resumed session|Working directory)/,
  LIMIT_LINE,
];

/** The final text on stdout, without the other output as far as we can recognise it. */
export function textIn(stdout: string): string {
  const text = unixLines(stdout);
  const boxed = answerBox(text);
  if (boxed !== null) return boxed;
  const lines = withoutReasoningBox(text.split("\n"));
  return lines
    .filter((line) => !NOISE.some((pattern) => pattern.test(line)))
    .join("\n")
    .trim();
}

/** The content of the last `╭─ ⚕ Hermes ─╮` box, printed without --quiet. */
function answerBox(text: string): string | null {
  const boxes = [...text.matchAll(/^╭─ ⚕ Hermes ─+╮\n([\s\S]*?)^╰─+╯$/gm)];
  const content = boxes.at(-1)?.[1];
  return content === undefined ? null : content.replace(/^ {4}/gm, "").trim();
}

/** `┌─ Reasoning ─┐ … └─┘`; a box without an end is left in. */
function withoutReasoningBox(lines: readonly string[]): readonly string[] {
  const start = lines.findIndex((line) => /^\s*[┌╭]─.*Reasoning/.test(line));
  if (start === -1) return lines;
  const length = lines.slice(start).findIndex((line) => /^\s*[└╰]─/.test(line));
  return length === -1 ? lines : [...lines.slice(0, start), ...lines.slice(start + length + 1)];
}

/** The message of a hermes that gave up on the model, whatever its exit code; `null`: it did not. */
export function errorMark(stdout: string, stderr: string): string | null {
  const failed = /^API call failed after .*$/m.exec(textIn(stdout).split("\n", 1)[0] ?? "");
  const error = /^Error: .*$/m.exec(unixLines(stderr));
  return failed?.[0] ?? error?.[0] ?? null;
}

/** Whether the answer was forced at the limit of tool iterations. */
export function reachedLimit(stdout: string, stderr: string): boolean {
  return LIMIT_LINE.test(stdout) || LIMIT_LINE.test(stderr);
}

/** The most informative line of a failed run. */
export function failureLine(stdout: string, stderr: string): string {
  const mark = errorMark(stdout, stderr);
  const lines = [...unixLines(stderr).split("\n"), ...textIn(stdout).split("\n")].map((line) => line.trim());
  const line =
    mark ?? lines.find((text) => text !== "" && !NOISE.some((pattern) => pattern.test(text))) ?? "";
  return line.length > 400 ? `${line.slice(0, 400)}…` : line;
}

function unixLines(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

/** Whether the session to resume does not exist. */
export function isLost(stdout: string, stderr: string): boolean {
  return /^Session not found: /m.test(unixLines(stderr)) || /^Session not found: /m.test(unixLines(stdout));
}

// The output of `hermes chat --format stream-json`, one JSON object per line. Unknown types and members are ignored.

/** The events in one of its objects. */
export function streamEvents(record: JsonRecord): readonly AgentEvent[] {
  switch (record.type) {
    case "system":
      return [...sessionIn(record), ...modelIn(record)];
    case "text":
      return [{ kind: "text", text: text(record.text), delta: true }];
    case "tool_use":
      return [
        {
          kind: "tool-call",
          id: idOf(record),
          name: text(record.name),
          arguments: json(record.input),
          at: null,
        },
      ];
    case "tool_result":
      return [
        {
          kind: "tool-result",
          id: idOf(record),
          result: json(record.output),
          durationMs: count(record.duration_ms),
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
  const id = text(record.session_id);
  return id === "" ? [] : [{ kind: "session", id }];
}

function modelIn(record: JsonRecord): readonly AgentEvent[] {
  const name = text(record.model);
  return name === "" ? [] : [{ kind: "model", name }];
}

function idOf(record: JsonRecord): string {
  return text(record.tool_call_id) || text(record.name);
}

function result(record: JsonRecord): readonly AgentEvent[] {
  const tokens = tokensIn(record.tokens);
  const events: readonly AgentEvent[] = [...sessionIn(record), ...(tokens === null ? [] : [used(tokens)])];
  const error = json(record.error);
  if (error === "" && record.exit_code === 0)
    return [...events, { kind: "done", text: text(record.text) || null }];
  return [...events, { kind: "failed", reason: error || `exit code ${json(record.exit_code)}` }];
}

function used(tokens: Tokens): AgentEvent {
  return { kind: "usage", tokens };
}

function tokensIn(value: unknown): Tokens | null {
  if (typeof value !== "object" || value === null) return null;
  const record = value as JsonRecord;
  const input = count(record.input);
  const output = count(record.output);
  if (input === null || output === null) return null;
  const cached = (count(record.cache_read) ?? 0) + (count(record.cache_write) ?? 0);
  return { input: input + cached, output, costUsd: null };
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function json(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function count(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}
