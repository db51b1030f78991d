import { isObject } from "@uncaged/workflow-agent-kit";
import { inner, type JsonRecord, recordIn, type Tokens, text } from "../events.js";
import type { Login, LoginContext } from "./types.js";

/** The first of these variables that is set. */
export function byVariable({ env }: LoginContext, names: readonly string[]): Login | null {
  const name = names.find((candidate) => Boolean(env[candidate]));
  return name === undefined ? null : { state: "yes", how: name };
}

/** The first of these files that contains more than an empty object. */
export function byFile({ read }: LoginContext, paths: readonly string[]): Login | null {
  const path = paths.find((candidate) => !isBlank(read(candidate)));
  return path === undefined ? null : { state: "yes", how: path };
}

function isBlank(text: string | null): boolean {
  return text === null || /^\s*(?:\{\s*\}\s*)?$/.test(text);
}

/** A JSON file that has this member. */
export function byMember({ read }: LoginContext, path: string, member: string): Login | null {
  const record = recordIn((read(path) ?? "").trim());
  if (record === null) return null;
  const value = record[member];
  const filled = isObject(value) ? Object.keys(inner(record, member)).length > 0 : Boolean(value);
  return filled ? { state: "yes", how: `${member} in ${path}` } : null;
}

export function notLoggedIn(how: string): Login {
  return { state: "no", how };
}

export function cannotTell(how: string): Login {
  return { state: "unknown", how };
}

/** Keys that agents for several providers look for. */
export const PROVIDER_KEYS: readonly string[] = [
  "ANTHROPIC_API_KEY",
  "OPENAI_API_KEY",
  "OPENROUTER_API_KEY",
  "GEMINI_API_KEY",
  "GROQ_API_KEY",
  "DEEPSEEK_API_KEY",
  "MISTRAL_API_KEY",
  "XAI_API_KEY",
];

/** Whether a record's time is at or after `since`. */
export function isSince(record: JsonRecord, since: number): boolean {
  return Date.parse(text(record, "timestamp") ?? "") >= since;
}

/** The sum over the messages, each by its last record; `null`: there are none. */
export function sumOfLast(messages: readonly (readonly [id: string, tokens: Tokens])[]): Tokens | null {
  const last = [...new Map(messages).values()];
  if (last.length === 0) return null;
  return {
    input: last.reduce((sum, { input }) => sum + input, 0),
    output: last.reduce((sum, { output }) => sum + output, 0),
    costUsd: null,
  };
}

/** Defaults that apply unless the user's arguments set the same options. */
export function unless(
  args: readonly string[],
  names: readonly string[],
  defaults: readonly string[],
): readonly string[] {
  const decided = args.some((word) => names.some((name) => word === name || word.startsWith(`${name}=`)));
  return decided ? [] : defaults;
}
