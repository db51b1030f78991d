import type { JsonValue } from "@uncaged/json-cas";
import { fenced } from "./fence.js";
import { countAt, listAt, member, textAt } from "./members.js";

/**
 * What happened inside a step, out of its expanded detail: session, prompt, every turn with its tool calls. The same for
 * every agent. "" for a detail that is no session: its text is the reply.
 */
export function renderDetail(detail: JsonValue): string {
  if (member(detail, "turns") === null) return "";
  const turns = listAt(detail, "turns").map((turn, index) => renderTurn(turn, index + 1));
  return parts([
    "### Inside the step",
    factsOf(detail),
    titled("#### Prompt", contentAt(detail, "prompt")),
    ...turns,
  ]);
}

function factsOf(session: JsonValue): string {
  const id = textAt(session, "sessionId");
  const cwd = textAt(session, "cwd");
  const model = textAt(session, "model");
  const facts = [
    id === null ? "no session id" : `session ${id}`,
    ...(cwd === null ? [] : [`folder ${cwd}`]),
    ...(model === null ? [] : [`model ${model}`]),
    usageOf(member(session, "usage")),
    ...durationOf(session, "durationMs"),
  ];
  return facts.map((fact) => `- ${fact}`).join("\n");
}

function usageOf(usage: JsonValue): string {
  if (usage === null) return "usage unknown";
  const cost = countAt(usage, "costUsd");
  const [input, output, total] = ["inputTokens", "outputTokens", "totalTokens"].map((name) =>
    countAt(usage, name),
  );
  return `${input} tokens in, ${output} out, ${total} in all, ${cost === null ? "cost unknown" : `$${cost}`}`;
}

function renderTurn(turn: JsonValue, number: number): string {
  const tokens = member(turn, "tokens");
  const facts = [
    ...(tokens === null ? [] : [`${countAt(tokens, "input")} tokens in, ${countAt(tokens, "output")} out`]),
    ...durationOf(turn, "latencyMs"),
  ];
  return parts([
    `#### Turn ${number}${inBrackets(facts)}`,
    titled("Input:", contentAt(turn, "input")),
    ...listAt(turn, "toolCalls").map(renderToolCall),
    titled("Output:", contentAt(turn, "output")),
  ]);
}

function renderToolCall(call: JsonValue): string {
  const facts = durationOf(call, "durationMs");
  return parts([
    `Tool call \`${(textAt(call, "name") ?? "").replaceAll("`", "'")}\`${inBrackets(facts)}:`,
    titled("", contentAt(call, "arguments")),
    titled("Result:", contentAt(call, "result")),
  ]);
}

/** A text of a content node; "" where it is none, or empty. */
function contentAt(parent: JsonValue, name: string): string {
  return (textAt(member(parent, name), "text") ?? "").trimEnd();
}

function titled(title: string, content: string): string {
  return content === "" ? "" : parts([title, fenced(content)]);
}

function durationOf(parent: JsonValue, name: string): readonly string[] {
  const ms = countAt(parent, name);
  return ms === null ? [] : [ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`];
}

function inBrackets(facts: readonly string[]): string {
  return facts.length === 0 ? "" : ` (${facts.join(", ")})`;
}

function parts(texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join("\n\n");
}
