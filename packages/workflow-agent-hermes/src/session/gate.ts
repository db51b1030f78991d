import type { HermesMessage, HermesSession, HermesToolCall, Totals } from "./types.js";

// Gate: the exported session becomes typed here. Fields are read by name, unknown ones ignored: versions only add.

type Fields = Readonly<Record<string, unknown>>;

/** The session in an export's output, or `null`: an unknown id is told in words, with exit code 0. */
export function parseSession(stdout: string): HermesSession | null {
  for (const line of stdout.split("\n")) {
    const row = line.trimStart().startsWith("{") ? parse(line) : null;
    if (row !== null && Array.isArray(row.messages)) return asSession(row, row.messages);
  }
  return null;
}

function parse(line: string): Fields | null {
  try {
    const value: unknown = JSON.parse(line);
    return isFields(value) ? value : null;
  } catch {
    return null;
  }
}

function asSession(row: Fields, messages: readonly unknown[]): HermesSession {
  return {
    id: text(row.id) ?? "",
    parent: text(row.parent_session_id),
    model: text(row.model),
    cwd: text(row.cwd),
    startedAt: milliseconds(row.started_at),
    totals: asTotals(row),
    messages: messages
      .filter(isFields)
      .filter((message) => message.active !== 0 && message.active !== false)
      .map(asMessage)
      .sort((left, right) => left.id - right.id),
  };
}

function asTotals(row: Fields): Totals | null {
  const input = count(row.input_tokens);
  const output = count(row.output_tokens);
  if (input === null || output === null) return null;
  const cached = (count(row.cache_read_tokens) ?? 0) + (count(row.cache_write_tokens) ?? 0);
  return { input: input + cached, output, costUsd: costOf(row) };
}

/** An estimate of 0 for a model without a price is no price. */
function costOf(row: Fields): number | null {
  const actual = count(row.actual_cost_usd);
  if (actual !== null) return actual;
  return row.cost_status === "unknown" ? null : count(row.estimated_cost_usd);
}

function asMessage(message: Fields): HermesMessage {
  return {
    id: count(message.id) ?? 0,
    role: text(message.role) ?? "",
    text: contentText(message.content),
    toolCalls: asList(message.tool_calls).filter(isFields).map(asToolCall),
    toolCallId: text(message.tool_call_id),
    at: milliseconds(message.timestamp),
  };
}

function asToolCall(call: Fields): HermesToolCall {
  const called = isFields(call.function) ? call.function : call;
  const given = called.arguments;
  return {
    id: text(call.id) ?? text(call.call_id) ?? "",
    name: text(called.name) ?? "",
    arguments: typeof given === "string" ? given : JSON.stringify(given ?? {}),
  };
}

const MULTIMODAL = "\0json:";

/** A string, or the texts of a list of parts, which the database keeps behind a prefix. */
function contentText(content: unknown): string {
  if (typeof content === "string") {
    if (!content.startsWith(MULTIMODAL)) return content;
    const parts = asList(content.slice(MULTIMODAL.length));
    return parts.length === 0 ? content : contentText(parts);
  }
  if (!Array.isArray(content)) return "";
  return content
    .map((part) => (typeof part === "string" ? part : isFields(part) ? (text(part.text) ?? "") : ""))
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

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function text(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function count(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}

function milliseconds(seconds: unknown): number | null {
  const value = count(seconds);
  return value === null ? null : Math.round(value * 1000);
}
