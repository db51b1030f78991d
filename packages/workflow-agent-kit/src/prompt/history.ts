import type { JsonObject, JsonValue } from "@uncaged/json-cas";
import { isObject } from "@uncaged/json-schema";
import type { RoleDefinition } from "@uncaged/workflow-protocol";
import { isList } from "../schema.js";

const TAGS = "task|history|step|output|reply|example|attempt|note";

// Between `<` and the name a reader overlooks blanks and invisible characters, so the test does too.
const TAG_START = new RegExp(
  `<(?=[\\s\\u200b-\\u200f\\u2060\\ufeff]*/?[\\s\\u200b-\\u200f\\u2060\\ufeff]*(?:${TAGS})(?![A-Za-z0-9_-]))`,
  "gi",
);

/** Data that cannot close or open one of our tags: there `<` becomes `&lt;`, nothing else changes. */
function neutralise(data: string): string {
  return data.replace(TAG_START, "&lt;");
}

/** Data between tags, on lines of their own. */
export function delimit(tag: string, attributes: Readonly<Record<string, string>>, data: string): string {
  return wrap(tag, attributes, neutralise(data));
}

/** `delimit` around text that is already delimited. */
export function wrap(tag: string, attributes: Readonly<Record<string, string>>, content: string): string {
  const written = Object.entries(attributes).map(([name, value]) => ` ${name}="${attribute(value)}"`);
  return `<${tag}${written.join("")}>\n${content}${content.endsWith("\n") ? "" : "\n"}</${tag}>`;
}

function attribute(value: string): string {
  return value
    .replaceAll("&", "&amp;")
    .replaceAll('"', "&quot;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}

// A small writer of block YAML whose strings are always quoted: what it writes reads back as exactly this value,
// and a model that imitates it quotes `"no"` too.

export function yamlOf(value: JsonObject): string {
  if (Object.keys(value).length === 0) return "{}\n";
  return Object.entries(value)
    .map(([key, member]) => `${yamlKey(key)}:${below(member, "")}\n`)
    .join("");
}

const PLAIN_KEY = /^(?!(?:true|false|null|yes|no|on|off|y|n)$)[A-Za-z_][A-Za-z0-9_-]*$/i;

function yamlKey(key: string): string {
  return PLAIN_KEY.test(key) ? key : quoted(key);
}

/** What follows the colon: a scalar on the line, or a block on the lines below. */
function below(value: JsonValue, indent: string): string {
  const inner = `${indent}  `;
  if (isList(value)) {
    if (value.length === 0) return " []";
    return value.map((item) => `\n${inner}-${afterDash(item, inner)}`).join("");
  }
  if (!isObject(value)) return ` ${scalar(value)}`;
  const entries = Object.entries(value);
  if (entries.length === 0) return " {}";
  return entries.map(([key, member]) => `\n${inner}${yamlKey(key)}:${below(member, inner)}`).join("");
}

/** A map starts on the dash's own line. */
function afterDash(item: JsonValue, indent: string): string {
  const text = below(item, indent);
  return isObject(item) && text.startsWith("\n") ? ` ${text.trimStart()}` : text;
}

function scalar(value: JsonValue): string {
  return typeof value === "string" ? quoted(value) : JSON.stringify(value);
}

/**
 * A JSON string is a YAML string; what YAML does not allow unescaped is escaped as well, and what the reader of replies
 * takes for a backslash that was not doubled (`\t`, `\n` before a letter) is written by its number.
 */
function quoted(text: string): string {
  return JSON.stringify(text)
    .replace(/\\./g, (pair, at: number, all: string) => {
      const isLineEnd = pair === "\\n" && /[a-z\d_]/.test(all.charAt(at + 2));
      return isLineEnd || "bfrt".includes(pair.charAt(1)) ? codeOf(String(JSON.parse(`"${pair}"`))) : pair;
    })
    .replace(/[\u007f-\u009f\u2028\u2029\ufeff\ufffd-\uffff]/g, codeOf);
}

function codeOf(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Characters of history in a prompt: with everything else it stays below one argument's 128 KiB in most languages. */
export const HISTORY_BUDGET = 40_000;

/** The newest step is shown completely, up to this many characters: the prompt has a limit too. */
const LONGEST_STEP = 1_000_000;

/** A shortened text of fewer characters would be useless. */
const SHORTEST = 400;

type Shown = {
  /** Oldest first. */
  readonly blocks: readonly string[];
  /** Whether replies or complete steps are missing. */
  readonly shortened: boolean;
  /** The oldest step that is shown completely: with `--before` it, what was cut can be read. */
  readonly oldestWhole: string | null;
};

/**
 * The earlier steps, oldest first; `steps` come newest first and are read only as far as they are shown. "" for
 * none.
 */
export function renderHistory(steps: Iterable<PromptStep>, thread: string, budget: number): string {
  const { blocks, shortened, oldestWhole } = select(steps, budget);
  if (blocks.length === 0) return "";
  const before = oldestWhole === null ? "" : ` --before ${oldestWhole}`;
  const note = shortened
    ? `Something is shortened or left out here. Read it with \`uwf thread read ${thread}${before} --quota 100000\`; \`uwf thread steps ${thread}\` has every output in full.\n`
    : "";
  return `${note}${wrap("history", {}, blocks.join("\n"))}`;
}

/** Newest first: completely while they fit, then without their replies, then not at all. */
function select(steps: Iterable<PromptStep>, budget: number): Shown {
  const blocks: string[] = [];
  let left = budget;
  let oldestWhole: string | null = null;
  let shortened = false;
  for (const step of steps) {
    const fit: Fit = blocks.length === 0 ? newest(step) : older(step, left, shortened);
    if (fit === null) {
      shortened = true;
      break;
    }
    blocks.push(fit.text);
    left -= fit.text.length;
    shortened ||= !fit.whole;
    if (!shortened) oldestWhole = step.hash;
  }
  return { blocks: blocks.reverse(), shortened, oldestWhole };
}

type Fit = { readonly text: string; readonly whole: boolean } | null;

function newest(step: PromptStep): Fit {
  const output = outputText(step.output);
  const cutOutput = cutText(output, LONGEST_STEP);
  const cutReply = cutText(step.reply, LONGEST_STEP - Math.min(output.length, LONGEST_STEP));
  const whole = cutOutput === output && cutReply === step.reply;
  return { text: block(step, cutOutput, cutReply), whole };
}

function older(step: PromptStep, left: number, shortened: boolean): Fit {
  const all = outputText(step.output);
  // A large output leaves room for the outlines of the steps before it.
  const output = cutText(all, Math.max(SHORTEST, Math.floor(left / 2)));
  const outline = block(step, output, null);
  if (outline.length > left) return null;
  if (shortened || output !== all) return { text: outline, whole: output === all && step.reply === null };
  const whole = block(step, output, step.reply);
  if (whole.length <= left) return { text: whole, whole: true };
  // Half of what is left is kept for the outlines of the steps before this one.
  const room = Math.floor((left - outline.length) / 2);
  return {
    text: room < SHORTEST ? outline : block(step, output, cutText(step.reply, room)),
    whole: false,
  };
}

function cutText<T extends string | null>(text: T, room: number): T | string {
  if (text === null || text.length <= room) return text;
  const kept = text.slice(0, room).replace(/[\ud800-\udbff]$/, "");
  return `${kept}\n[${text.length - kept.length} more characters]`;
}

function block({ hash, role }: PromptStep, output: string, reply: string | null): string {
  const parts = [delimit("output", {}, output)];
  if (reply !== null) parts.push(delimit("reply", {}, reply));
  return wrap("step", { role, hash }, parts.join("\n"));
}

function outputText(output: JsonValue): string {
  return isObject(output) ? yamlOf(output) : JSON.stringify(output);
}

/** What a person has said to this run. */
type PromptNote = { readonly text: string; readonly by: string; readonly at: number };

/** An earlier step as the prompt shows it. */
export type PromptStep = {
  readonly hash: string;
  readonly role: string;
  /** The structured output. */
  readonly output: JsonValue;
  /** The agent's reply; `null` if the step has none. */
  readonly reply: string | null;
};

export type RolePromptInput = {
  readonly thread: string;
  readonly workflow: string;
  readonly role: string;
  readonly definition: Omit<RoleDefinition, "meta" | "agent">;
  /** What `buildOutputFormatInstruction` gave for the role's `meta`. */
  readonly outputFormatInstruction: string;
  /** The thread's prompt. */
  readonly task: string;
  /** What people have said since; oldest first. */
  readonly notes?: readonly PromptNote[];
  /** Newest first; read only as far as the limit allows them to be shown. */
  readonly steps: Iterable<PromptStep>;
  /** Characters for the history; `null`: HISTORY_BUDGET. */
  readonly historyBudget: number | null;
};
