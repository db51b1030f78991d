import { type Fields, fieldsOf, isFields, listOf, shown, textOf } from "../wire/index.js";
import { resultText } from "./content.js";
import type { ToolCall, ToolCallFacts } from "./types.js";

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

/** The call with what one more tool_call or tool_call_update tells; what that leaves out stays as it was. */
export function changedCall(call: ToolCall, update: Fields, now: number): ToolCall {
  const kind = textOf(update.kind) ?? call.kind;
  const title = textOf(update.title) ?? call.title;
  const told = toolName(update);
  const paths = listOf(update.locations).flatMap(({ path }) => textOf(path) ?? []);
  const inputs = inputsWith(call.inputs, update.rawInput);
  const ended = update.status === "completed" || update.status === "failed";
  return {
    ...call,
    // The first name is the tool's; later titles say what it does with what.
    name: told ?? (call.name === "" ? nameOf(title, kind) : call.name),
    kind,
    title,
    arguments: isEmpty(update.rawInput) ? call.arguments : update.rawInput,
    locations: [...new Set([...call.locations, ...paths])],
    inputs,
    content: Array.isArray(update.content) ? listOf(update.content) : call.content,
    rawOutput: update.rawOutput ?? call.rawOutput,
    failed: ended ? update.status === "failed" : call.failed,
    // Agents send a growing output again and again: what counts is the last of it.
    size: shown(update).length + (inputs === call.inputs ? 0 : shown(inputs).length),
    endedAt: ended ? (call.endedAt ?? now) : call.endedAt,
  };
}

/** Every input once: agents repeat it with each update. */
function inputsWith(inputs: readonly unknown[], input: unknown): readonly unknown[] {
  if (isEmpty(input) || shown(inputs.at(-1)) === shown(input)) return inputs;
  return [...inputs, input];
}

/** Some adapters tell the tool's own name beside the protocol: `_meta.claudeCode.toolName`. */
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
  const told = resultText(call.content, call.rawOutput);
  const result = [call.refusal ?? "", told].filter((text) => text !== "").join("\n");
  return {
    name: call.name === "" ? "tool" : call.name,
    arguments: shown(call.arguments) || call.title,
    result: call.failed && result === "" ? "failed" : result,
    durationMs: call.endedAt === null ? null : Math.max(0, call.endedAt - call.startedAt),
  };
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return isFields(value) && Object.keys(value).length === 0;
}
