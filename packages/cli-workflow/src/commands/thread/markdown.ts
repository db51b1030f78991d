import type { JsonValue } from "@uncaged/json-cas";
import type { HistoryReason } from "@uncaged/workflow-protocol";
import { counted } from "@uncaged/workflow-util";
import { stringify } from "yaml";
import { countAt, listAt, member, textAt } from "../../members.js";

// biome-ignore lint/suspicious/noControlCharactersInRegex: programs that read lines end them there
const LINE_ENDS = /\r\n|[\n\r\u000b\u000c\u0085\u2028\u2029]/;

/**
 * A text of an agent or a person as an indented code block: nothing in it ends the block, begins a heading, a comment or an
 * element, or looks like a line of ours, rendered or not. Also what only some programs take for the end of a line ends one.
 */
function quoted(content: string): string {
  return content
    .replace(/^(?:[^\S\n]*\n)+/, "")
    .trimEnd()
    .split(LINE_ENDS)
    .map((line) => (line.trim() === "" ? "" : `    ${line}`))
    .join("\n");
}

/** A value of ours between fences that nothing inside of it can close. */
function yamlOf(value: JsonValue): string {
  const content = stringify(value, { lineWidth: 0, aliasDuplicateObjects: false }).trimEnd();
  const longest = Math.max(0, ...(content.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(Math.max(3, longest + 1));
  return `${fence}yaml\n${content}\n${fence}`;
}

/**
 * What happened inside a step, out of its expanded detail: session, prompt, every turn with its tool calls. The same for
 * every agent. "" for a detail that is a text: that is the reply. Another thread's step is shown with what happened in it.
 */
function renderDetail(detail: JsonValue): string {
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

/** How a model extracted the output from the reply; "" if none did. */
function renderExtract(extract: JsonValue): string {
  if (extract === null) return "";
  const gone = goneText(extract);
  const turns = listAt(extract, "turns").map((turn, index) => renderTurn(turn, index + 1));
  return parts(["### The extract by a model", ...(gone === "" ? [factsOf(extract), ...turns] : [gone])]);
}

function renderStepInside(step: JsonValue): string {
  const prev = textAt(step, "prev");
  const facts = [
    `- role ${textAt(step, "role") ?? ""}, by ${oneLine(textAt(step, "agent") ?? "")}`,
    ...(prev === null ? [] : [`- what came before: \`uwf thread step-details ${prev}\``]),
  ];
  const output = member(step, "output");
  const title = "### Inside the step: the last step of another thread";
  return parts([
    title,
    facts.join("\n"),
    goneText(output) || yamlOf(output),
    renderDetail(member(step, "detail")),
  ]);
}

function factsOf(session: JsonValue): string {
  const id = textAt(session, "sessionId");
  const cwd = textAt(session, "cwd");
  const model = textAt(session, "model");
  const facts = [
    id === null ? "no session id" : `session ${oneLine(id)}`,
    ...(cwd === null ? [] : [`folder ${oneLine(cwd)}`]),
    ...(model === null ? [] : [`model ${oneLine(model)}`]),
    usageOf(member(session, "usage")),
    ...durationOf(session, "durationMs"),
  ];
  return facts.map((fact) => `- ${fact}`).join("\n");
}

function usageOf(usage: JsonValue): string {
  if (usage === null) return "usage unknown";
  const cost = countAt(usage, "costUsd");
  const count = (name: string) => countAt(usage, name);
  const tokens = `${count("inputTokens")} tokens in, ${count("outputTokens")} out, ${count("totalTokens")} in all`;
  return `${tokens}, ${cost === null ? "cost unknown" : `$${cost}`}`;
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
    `Tool call \`${oneLine(textAt(call, "name") ?? "").replaceAll("`", "'")}\`${inBrackets(facts)}:`,
    titled("", contentAt(call, "arguments")),
    titled("Result:", contentAt(call, "result")),
  ]);
}

/** The text of a content node, or a note that it is gone; "" if it is empty or not one. */
function contentAt(parent: JsonValue, name: string): string {
  const content = member(parent, name);
  return (textAt(content, "text") ?? goneText(content)).trimEnd();
}

/** What is shown in place of a missing node; "" for an existing one. */
function goneText(part: JsonValue): string {
  const hash = textAt(part, "missing");
  return hash === null ? "" : `(node ${hash} is gone)`;
}

function titled(title: string, content: string): string {
  return content === "" ? "" : parts([title, quoted(content)]);
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

/**
 * Renders items from the last one back for as long as their texts together stay within `quota` characters;
 * the last one is always there. Gives the texts in their original order.
 */
export function fitNewest<T>(
  items: readonly T[],
  quota: number,
  render: (item: T, index: number) => string,
): readonly string[] {
  const texts: string[] = [];
  let used = 0;
  for (let index = items.length - 1; index >= 0; index -= 1) {
    const text = render(items[index] as T, index);
    used += text.length;
    if (texts.length > 0 && used > quota) break;
    texts.push(text);
  }
  return texts.reverse();
}

/** One step with everything that its Markdown shows. */
export type StepView = {
  /** Position in the thread, from 1. */
  readonly number: number;
  readonly hash: string;
  readonly role: string;
  readonly agent: string;
  /** Epoch ms. */
  readonly timestamp: number;
  readonly output: JsonValue;
  /** The agent's reply without its frontmatter; `null` if the step has none. */
  readonly reply: string | null;
  /** The model that read the output out of the reply; `null`: none did. */
  readonly extract: { readonly model: string | null } | null;
  /** The expanded detail; `null` if not requested. */
  readonly detail: JsonValue | null;
};

type HeaderView = {
  readonly thread: string;
  readonly workflow: { readonly name: string; readonly hash: string };
  /** Epoch ms. */
  readonly startedAt: number;
  readonly state: "active" | HistoryReason;
  readonly steps: number;
  readonly prompt: string;
};

const STATES = { active: "active", end: "ended", failed: "ended as failed", killed: "killed" } as const;

export function renderHeader(view: HeaderView): string {
  const facts = [
    `- workflow: ${view.workflow.name} (${view.workflow.hash})`,
    `- started: ${utc(view.startedAt)}`,
    `- state: ${STATES[view.state]}, ${counted(view.steps, "step")}`,
  ];
  return `${parts([`# Thread ${view.thread}`, facts.join("\n"), "## Task", quoted(view.prompt)])}\n`;
}

export function renderStep(view: StepView): string {
  const { number, role, hash, agent, timestamp, extract, output, reply, detail } = view;
  // An output that the agent itself did not state is marked as none of its words.
  const by = extract === null ? "" : ` · output extracted by ${oneLine(extract.model ?? "a model")}`;
  return `${parts([
    `## ${number}. ${role}`,
    `${hash} · ${oneLine(agent)} · ${utc(timestamp)}${by}`,
    yamlOf(output),
    quoted(reply ?? ""),
    detail === null ? "" : renderDetail(detail),
  ])}\n`;
}

/** The line in place of older steps that did not fit. */
export function renderOmitted(thread: string, count: number, oldestShown: string): string {
  return `*${counted(count, "earlier step")}: \`uwf thread read ${thread} --before ${oldestShown}\`*\n`;
}

/** A script among an agent's arguments has lines, and a name that an agent reports may begin an element. */
function oneLine(text: string): string {
  return text.replace(/[\s\u0085]+/g, " ").replaceAll("<", "&lt;");
}

function utc(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
