import { isObject } from "@uncaged/workflow-agent-kit";
import type { ToolCall, ToolCallFacts } from "./trace.js";
import { type Fields, fieldsOf, listOf, shown, textOf } from "./wire.js";

/** A content block as text; for one without text its type. */
export function blockText(block: Fields): string {
  if (block.type === "text") return textOf(block.text) ?? "";
  if (block.type === "resource_link") return textOf(block.uri) ?? textOf(block.name) ?? "";
  const resource = fieldsOf(block.resource);
  return textOf(resource.text) ?? textOf(resource.uri) ?? `[${textOf(block.type) ?? "something"}]`;
}

/**
 * The result of a tool: the raw output if it is text. If it is an agent-specific object: its text, else the text shown
 * for it, else the whole object.
 */
function resultText(content: readonly Fields[], rawOutput: unknown): string {
  const raw = typeof rawOutput === "string" ? rawOutput : textOf(fieldsOf(rawOutput).output);
  if (raw !== null) return raw;
  const parts = content.map(partText).filter((text) => text !== "");
  return parts.length > 0 ? parts.join("\n") : shown(rawOutput);
}

function partText(part: Fields): string {
  if (part.type === "content") return isObject(part.content) ? blockText(part.content) : "";
  if (part.type !== "diff") return "";
  const lines = (text: unknown, mark: string): string =>
    textOf(text)?.replace(/^/gm, mark).concat("\n") ?? "";
  return `${textOf(part.path) ?? ""}\n${lines(part.oldText, "-")}${lines(part.newText, "+")}`;
}

/** The steps of a plan, one per line. */
export function planText(entries: unknown): string {
  return listOf(entries)
    .map((entry) => `[${textOf(entry.status) ?? "pending"}] ${textOf(entry.content) ?? ""}`)
    .join("\n");
}

export function newCall(id: string, now: number): ToolCall {
  return {
    id,
    name: "",
    kind: null,
    title: "",
    arguments: null,
    locations: [],
    inputs: [],
    content: [],
    rawOutput: null,
    failed: false,
    refusal: null,
    size: 0,
    startedAt: now,
    endedAt: null,
  };
}

/** Merges a tool_call or tool_call_update into the call; omitted fields stay as they were. */
export function changedCall(call: ToolCall, update: Fields, now: number): ToolCall {
  const kind = textOf(update.kind) ?? call.kind;
  const title = textOf(update.title) ?? call.title;
  const name = toolName(update);
  const paths = listOf(update.locations).flatMap(({ path }) => textOf(path) ?? []);
  const inputs = inputsWith(call.inputs, update.rawInput);
  const ended = update.status === "completed" || update.status === "failed";
  return {
    ...call,
    // The first title is the tool's name; later ones describe the call.
    name: name ?? (call.name === "" ? nameOf(title, kind) : call.name),
    kind,
    title,
    arguments: isEmpty(update.rawInput) ? call.arguments : update.rawInput,
    locations: [...new Set([...call.locations, ...paths])],
    inputs,
    content: Array.isArray(update.content) ? listOf(update.content) : call.content,
    rawOutput: update.rawOutput ?? call.rawOutput,
    failed: ended ? update.status === "failed" : call.failed,
    // Agents resend a growing output: the last one counts.
    size: shown(update).length + (inputs === call.inputs ? 0 : shown(inputs).length),
    endedAt: ended ? (call.endedAt ?? now) : call.endedAt,
  };
}

/** Each input once: agents repeat it in every update. */
function inputsWith(inputs: readonly unknown[], input: unknown): readonly unknown[] {
  if (isEmpty(input) || shown(inputs.at(-1)) === shown(input)) return inputs;
  return [...inputs, input];
}

/** Some adapters report the tool's name outside of the protocol: `_meta.claudeCode.toolName`. */
function toolName(update: Fields): string | null {
  const names = Object.values(fieldsOf(update._meta)).map((one) => textOf(fieldsOf(one).toolName));
  return names.find((name) => name !== null && name !== "") ?? null;
}

/** A title of one word is a name (`bash`), another is a sentence about this call. */
function nameOf(title: string, kind: string | null): string {
  if (/^[\w.:/-]{1,64}$/.test(title)) return title;
  return kind !== null && kind !== "other" ? kind : title.slice(0, 64);
}

export function callFacts(call: ToolCall): ToolCallFacts {
  const resultLines = resultText(call.content, call.rawOutput);
  const result = [call.refusal ?? "", resultLines].filter((text) => text !== "").join("\n");
  return {
    name: call.name === "" ? "tool" : call.name,
    arguments: shown(call.arguments) || call.title,
    result: call.failed && result === "" ? "failed" : result,
    durationMs: call.endedAt === null ? null : Math.max(0, call.endedAt - call.startedAt),
  };
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return isObject(value) && Object.keys(value).length === 0;
}
