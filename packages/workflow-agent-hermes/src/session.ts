import type { SessionFacts, ToolCallFacts, TurnFacts } from "@uncaged/workflow-agent-kit";
import { isObject } from "@uncaged/workflow-agent-kit";

/** One row of `sessions` with its messages, as `hermes sessions export` prints it, after the gate. */
export type HermesSession = {
  readonly id: string;
  readonly parent: string | null;
  readonly model: string | null;
  readonly cwd: string | null;
  /** Epoch ms. */
  readonly startedAt: number | null;
  readonly totals: Totals | null;
  /** Active ones, by id. */
  readonly messages: readonly HermesMessage[];
};

/** Sums over the whole session, resumes included. `input` counts cached tokens too. */
export type Totals = { readonly input: number; readonly output: number; readonly costUsd: number | null };

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

type Fields = Readonly<Record<string, unknown>>;

/** The session in an export's output; `null` for an unknown id, which gives a message and exit code 0. */
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
    return isObject(value) ? value : null;
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
      .filter(isObject)
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

/** An estimate of 0 means that the model's price is unknown. */
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
    toolCalls: asList(message.tool_calls).filter(isObject).map(asToolCall),
    toolCallId: text(message.tool_call_id),
    at: milliseconds(message.timestamp),
  };
}

function asToolCall(call: Fields): HermesToolCall {
  const called = isObject(call.function) ? call.function : call;
  const given = called.arguments;
  return {
    id: text(call.id) ?? text(call.call_id) ?? "",
    name: text(called.name) ?? "",
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
    .map((part) => (typeof part === "string" ? part : isObject(part) ? (text(part.text) ?? "") : ""))
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

/** The model's answer to the last message; `null`: it did not answer. */
export function finalText(messages: readonly HermesMessage[]): string | null {
  const last = messages.findLast((message) => message.role === "assistant" || message.role === "user");
  if (last?.role !== "assistant" || last.toolCalls.length > 0 || last.text.trim() === "") return null;
  return last.text;
}

/** The usage of one run: hermes counts per session, so we subtract the total before the run. */
export function usageBetween(before: Totals | null, after: Totals | null): SessionFacts["usage"] {
  if (before === null || after === null) return null;
  const inputTokens = after.input - before.input;
  const outputTokens = after.output - before.output;
  if (inputTokens < 0 || outputTokens < 0) return null;
  const cost = after.costUsd === null || before.costUsd === null ? null : after.costUsd - before.costUsd;
  const costUsd = cost === null || cost < 0 ? null : cost;
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, costUsd };
}

export const NOTHING_USED: Totals = { input: 0, output: 0, costUsd: 0 };

export function addTotals(left: Totals | null, right: Totals | null): Totals | null {
  if (left === null || right === null) return null;
  const costUsd = left.costUsd === null || right.costUsd === null ? null : left.costUsd + right.costUsd;
  return { input: left.input + right.input, output: left.output + right.output, costUsd };
}
