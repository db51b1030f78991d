import type { JsonValue } from "@uncaged/json-cas";
import { stringify } from "yaml";
import { fenced } from "./fence.js";
import { countAt, listAt, member, textAt } from "./members.js";

/**
 * What happened inside a step, out of its expanded detail: session, prompt, every turn with its tool calls. The same for
 * every agent. "" for a detail that is a text: that is the reply. Another thread's step is shown with what happened in it.
 */
export function renderDetail(detail: JsonValue): string {
  if (textAt(detail, "start") !== null && member(detail, "detail") !== null) return renderStepInside(detail);
  if (member(detail, "turns") === null) return "";
  const turns = listAt(detail, "turns").map((turn, index) => renderTurn(turn, index + 1));
  return parts([
    "### Inside the step",
    factsOf(detail),
    titled("#### Prompt", contentAt(detail, "prompt")),
    ...turns,
    renderExtract(member(detail, "extract")),
  ]);
}

/** How a model read the output out of the reply; "" where none did. */
function renderExtract(extract: JsonValue): string {
  if (extract === null) return "";
  const gone = goneText(extract);
  const turns = listAt(extract, "turns").map((turn, index) => renderTurn(turn, index + 1));
  return parts(["### The extract by a model", ...(gone === "" ? [factsOf(extract), ...turns] : [gone])]);
}

function renderStepInside(step: JsonValue): string {
  const prev = textAt(step, "prev");
  const facts = [
    `- role ${textAt(step, "role") ?? ""}, by ${textAt(step, "agent") ?? ""}`,
    ...(prev === null ? [] : [`- what came before: \`uwf thread step-details ${prev}\``]),
  ];
  const output = member(step, "output");
  return parts([
    "### Inside the step: the last step of another thread",
    facts.join("\n"),
    goneText(output) ||
      fenced(stringify(output, { lineWidth: 0, aliasDuplicateObjects: false }).trimEnd(), "yaml"),
    renderDetail(member(step, "detail")),
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
  const gone = goneText(turn);
  if (gone !== "") return parts([`#### Turn ${number}`, gone]);
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
  const gone = goneText(call);
  if (gone !== "") return `Tool call: ${gone}`;
  const facts = durationOf(call, "durationMs");
  return parts([
    `Tool call \`${(textAt(call, "name") ?? "").replaceAll("`", "'")}\`${inBrackets(facts)}:`,
    titled("", contentAt(call, "arguments")),
    titled("Result:", contentAt(call, "result")),
  ]);
}

/** A text of a content node, or a word about its absence; "" where it is none, or empty. */
function contentAt(parent: JsonValue, name: string): string {
  const content = member(parent, name);
  return (textAt(content, "text") ?? goneText(content)).trimEnd();
}

/** What stands in place of a node that is missing; "" for what is there. */
function goneText(part: JsonValue): string {
  const hash = textAt(part, "missing");
  return hash === null ? "" : `(node ${hash} is gone)`;
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
