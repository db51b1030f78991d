import type { AgentEvent, JsonRecord, Tokens } from "@uncaged/workflow-agent-cli";

// What `hermes chat --format stream-json` prints, one JSON object a line. Unknown types and members are ignored.

/** What one of its objects says. */
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

// Compression can change the id while it runs: the result's is the one to go on with.
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
  const told: readonly AgentEvent[] = [...sessionIn(record), ...(tokens === null ? [] : [used(tokens)])];
  const error = json(record.error);
  if (error === "" && record.exit_code === 0)
    return [...told, { kind: "done", text: text(record.text) || null }];
  return [...told, { kind: "failed", reason: error || `exit code ${json(record.exit_code)}` }];
}

function used(tokens: Tokens): AgentEvent {
  return { kind: "usage", tokens };
}

function tokensIn(value: unknown): Tokens | null {
  if (typeof value !== "object" || value === null) return null;
  const told = value as JsonRecord;
  const input = count(told.input);
  const output = count(told.output);
  if (input === null || output === null) return null;
  const cached = (count(told.cache_read) ?? 0) + (count(told.cache_write) ?? 0);
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
