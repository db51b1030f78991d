import { isObject, suggest } from "@uncaged/json-cas";
import { END, FAIL } from "@uncaged/workflow-protocol";
import type { Entry, Scenario, Tokens } from "./types.js";

// Gate: a scenario file becomes typed here; `problems` collects what is wrong, as sentences.

type Problems = readonly string[];

type Fields = Readonly<Record<string, unknown>>;

function asScenario(given: unknown, file: string, isDraft: boolean, problems: string[]): Scenario {
  const value = isDraft ? drafted(given) : given;
  if (!isObject(value)) {
    problems.push("a scenario is a map with the key roles");
    return { file, texts: new Map(), roles: new Map(), expect: null, end: null, prompt: null };
  }
  refuseOthers(value, ["texts", "roles", "expect", "end", "prompt"], "the scenario", problems);
  const roles = new Map<string, readonly Entry[]>();
  if (!isObject(value.roles)) problems.push("roles must be a map from role to a list of entries");
  else
    for (const [role, entries] of Object.entries(value.roles))
      roles.set(role, asEntries(entries, role, problems));
  return {
    file,
    texts: asTexts(value.texts, problems),
    roles,
    expect: asExpect(value.expect, isDraft ? null : roles, problems),
    end: asEnd(value.end, problems),
    prompt: text(value.prompt, "prompt", problems),
  };
}

/** A draft may have no replies yet, or be empty. */
function drafted(given: unknown): unknown {
  if (given === undefined || given === null) return { roles: {} };
  return isObject(given) && (given.roles === undefined || given.roles === null)
    ? { ...given, roles: {} }
    : given;
}

function asTexts(value: unknown, problems: string[]): Scenario["texts"] {
  if (value === undefined || value === null) return new Map();
  if (isObject(value)) {
    const entries = Object.entries(value).map(
      ([name, given]) => [name, text(given, `texts.${name}`, problems)] as const,
    );
    return new Map(entries.filter((entry): entry is readonly [string, string] => entry[1] !== null));
  }
  problems.push("texts must be a map from name to text");
  return new Map();
}

function asEntries(value: unknown, role: string, problems: string[]): readonly Entry[] {
  if (Array.isArray(value) && value.length > 0) {
    return value.map((entry, index) => asEntry(entry, `entry ${index + 1} of ${role}`, problems));
  }
  problems.push(`roles.${role} must be a list of at least one entry`);
  return [];
}

function asEntry(value: unknown, name: string, problems: string[]): Entry {
  const given = isObject(value) ? value : {};
  if (!isObject(value)) problems.push(`${name} must be a map with the key reply`);
  refuseOthers(given, KEYS, name, problems);
  const entry = {
    reply: text(given.reply, `reply in ${name}`, problems),
    delayMs: count(given.delayMs, MOST_DELAY_MS, `delayMs in ${name}`, problems),
    exitCode: count(given.exitCode, 255, `exitCode in ${name}`, problems),
    stdoutNoise: text(given.stdoutNoise, `stdoutNoise in ${name}`, problems),
    stderr: text(given.stderr, `stderr in ${name}`, problems),
    sessionId: text(given.sessionId, `sessionId in ${name}`, problems),
    sessionLost: flag(given.sessionLost, `sessionLost in ${name}`, problems),
    corrections: texts(given.continue, `continue in ${name}`, problems),
    usage: asTokens(given.usage, `usage in ${name}`, problems),
  };
  if (isObject(value) && entry.reply === null && entry.exitCode === 0) {
    problems.push(`${name} needs a reply, or an exitCode other than 0`);
  }
  return entry;
}

const KEYS = [
  "reply",
  "delayMs",
  "exitCode",
  "stdoutNoise",
  "stderr",
  "sessionId",
  "sessionLost",
  "continue",
  "usage",
];

function asTokens(value: unknown, name: string, problems: string[]): Tokens | null {
  if (value === undefined || value === null) return null;
  if (!isObject(value) || value.inputTokens === undefined || value.outputTokens === undefined) {
    problems.push(`${name} must be a map with inputTokens and outputTokens`);
    return null;
  }
  refuseOthers(value, ["inputTokens", "outputTokens", "costUsd"], name, problems);
  const inputTokens = count(value.inputTokens, MOST_TOKENS, `inputTokens of ${name}`, problems);
  const outputTokens = count(value.outputTokens, MOST_TOKENS, `outputTokens of ${name}`, problems);
  const costUsd = amount(value.costUsd, `costUsd of ${name}`, problems);
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, costUsd };
}

const MOST_TOKENS = 1e12;

/** The longest timer. */
const MOST_DELAY_MS = 2 ** 31 - 1;

function asExpect(
  value: unknown,
  roles: ReadonlyMap<string, unknown> | null,
  problems: string[],
): readonly string[] | null {
  if (value === undefined || value === null) return null;
  if (!Array.isArray(value) || !value.every((role) => typeof role === "string")) {
    problems.push("expect must be a list of roles");
    return null;
  }
  for (const role of new Set(value)) {
    if (roles === null || roles.has(role)) continue;
    const meant = suggest(role, [...roles.keys()]);
    const near = meant === null ? "" : `, did you mean "${meant}"?`;
    problems.push(`expect names ${role}, which is not in roles${near}`);
  }
  return value;
}

function asEnd(value: unknown, problems: string[]): Scenario["end"] {
  if (value === undefined || value === null) return null;
  if (value === END || value === FAIL) return value;
  problems.push(`end must be ${END} or ${FAIL}`);
  return null;
}

function refuseOthers(given: Fields, known: readonly string[], name: string, problems: string[]): void {
  for (const key of Object.keys(given).filter((key) => !known.includes(key))) {
    problems.push(`${name} has the unknown key ${key}; known are ${known.join(", ")}`);
  }
}

function text(value: unknown, name: string, problems: string[]): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "string") return value;
  problems.push(`${name} must be a text; quote it or write it as a block (|)`);
  return null;
}

function texts(value: unknown, name: string, problems: string[]): readonly string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) return value;
  problems.push(`${name} must be a list of texts`);
  return [];
}

function flag(value: unknown, name: string, problems: string[]): boolean {
  if (typeof value !== "boolean" && value !== undefined && value !== null) {
    problems.push(`${name} must be true or false`);
  }
  return value === true;
}

function amount(value: unknown, name: string, problems: string[]): number | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "number" && Number.isFinite(value) && value >= 0) return value;
  problems.push(`${name} must be a number, 0 or more`);
  return null;
}

function count(value: unknown, most: number, name: string, problems: string[]): number {
  if (value === undefined || value === null) return 0;
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= most) return value;
  problems.push(`${name} must be a whole number from 0 to ${most}`);
  return 0;
}

export type Parsed =
  | { readonly ok: true; readonly scenario: Scenario }
  | { readonly ok: false; readonly problems: Problems };

/**
 * Parses a scenario in JSON or YAML; on failure every problem as a sentence. A draft may lack replies: somebody is about to
 * add them.
 */
export async function parseScenario(text: string, file: string, isDraft = false): Promise<Parsed> {
  const json = asJson(text);
  const problems: string[] = [];
  const value = json === undefined ? (await import("./yaml.js")).asYaml(text, problems) : json;
  if (problems.length > 0) return { ok: false, problems };
  const scenario = asScenario(value, file, isDraft, problems);
  return problems.length === 0 ? { ok: true, scenario } : { ok: false, problems };
}

/** `undefined` if it is not JSON: then YAML parses it, or says where it is wrong. */
function asJson(text: string): unknown {
  if (!text.trimStart().startsWith("{")) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
