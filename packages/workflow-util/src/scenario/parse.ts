import { isObject, parseJson, suggest } from "@uncaged/json-cas";
import { END, FAIL } from "@uncaged/workflow-protocol";
import type { Entry, Scenario, Tokens } from "./types.js";

// Gate: a scenario file becomes typed here; `problems` collects what is wrong.

/** Keys and indexes from the root of the file to a value. */
export type Path = readonly (string | number)[];

/** A sentence about the value at `path`. */
export type Problem = { readonly path: Path; readonly sentence: string };

/** A value of the file: where it stands, and what a sentence calls it. */
type FieldPosition = { readonly path: Path; readonly name: string };

type Fields = Readonly<Record<string, unknown>>;

function asScenario(given: unknown, file: string, isDraft: boolean, problems: Problem[]): Scenario {
  const value = isDraft ? drafted(given) : given;
  if (!isObject(value)) {
    problems.push({ path: [], sentence: "a scenario is a map with the key roles" });
    return { file, texts: new Map(), roles: new Map(), expect: null, end: null, prompt: null };
  }
  const top = (key: string): FieldPosition => ({ path: [key], name: key });
  refuseOthers(
    value,
    ["texts", "roles", "expect", "end", "prompt"],
    { path: [], name: "the scenario" },
    problems,
  );
  const roles = new Map<string, readonly Entry[]>();
  if (!isObject(value.roles)) report(problems, top("roles"), "must be a map from role to a list of entries");
  else
    for (const [role, entries] of Object.entries(value.roles))
      roles.set(role, asEntries(entries, role, problems));
  return {
    file,
    texts: asTexts(value.texts, top("texts"), problems),
    roles,
    expect: asExpect(value.expect, isDraft ? null : roles, top("expect"), problems),
    end: asEnd(value.end, top("end"), problems),
    prompt: text(value.prompt, top("prompt"), problems),
  };
}

/** A draft may have no replies yet, or be empty. */
function drafted(given: unknown): unknown {
  if (given === undefined || given === null) return { roles: {} };
  return isObject(given) && (given.roles === undefined || given.roles === null)
    ? { ...given, roles: {} }
    : given;
}

function asTexts(value: unknown, { path }: FieldPosition, problems: Problem[]): Scenario["texts"] {
  if (value === undefined || value === null) return new Map();
  if (isObject(value)) {
    const entries = Object.entries(value).map(([name, given]) => {
      const place = { path: [...path, name], name: `texts.${name}` };
      return [name, text(given, place, problems)] as const;
    });
    return new Map(entries.filter((entry): entry is readonly [string, string] => entry[1] !== null));
  }
  problems.push({ path, sentence: "texts must be a map from name to text" });
  return new Map();
}

function asEntries(value: unknown, role: string, problems: Problem[]): readonly Entry[] {
  const path = ["roles", role];
  if (Array.isArray(value) && value.length > 0) {
    return value.map((entry, index) =>
      asEntry(entry, { path: [...path, index], name: `entry ${index + 1} of ${role}` }, problems),
    );
  }
  problems.push({ path, sentence: `roles.${role} must be a list of at least one entry` });
  return [];
}

function asEntry(value: unknown, place: FieldPosition, problems: Problem[]): Entry {
  const given = isObject(value) ? value : {};
  if (!isObject(value)) report(problems, place, "must be a map with the key reply");
  refuseOthers(given, KEYS, place, problems);
  const at = (key: string): FieldPosition => ({
    path: [...place.path, key],
    name: `${key} in ${place.name}`,
  });
  const entry = {
    reply: text(given.reply, at("reply"), problems),
    delayMs: count(given.delayMs, MOST_DELAY_MS, at("delayMs"), problems),
    exitCode: count(given.exitCode, 255, at("exitCode"), problems),
    stdoutNoise: text(given.stdoutNoise, at("stdoutNoise"), problems),
    stderr: text(given.stderr, at("stderr"), problems),
    sessionId: text(given.sessionId, at("sessionId"), problems),
    sessionLost: flag(given.sessionLost, at("sessionLost"), problems),
    corrections: texts(given.continue, at("continue"), problems),
    usage: asTokens(given.usage, at("usage"), problems),
  };
  if (isObject(value) && (given.reply ?? null) === null && entry.exitCode === 0)
    report(problems, place, "needs a reply, or an exitCode other than 0");
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

function asTokens(value: unknown, place: FieldPosition, problems: Problem[]): Tokens | null {
  if (value === undefined || value === null) return null;
  if (!isObject(value) || value.inputTokens === undefined || value.outputTokens === undefined) {
    report(problems, place, "must be a map with inputTokens and outputTokens");
    return null;
  }
  refuseOthers(value, ["inputTokens", "outputTokens", "costUsd"], place, problems);
  const at = (key: string): FieldPosition => ({
    path: [...place.path, key],
    name: `${key} of ${place.name}`,
  });
  const inputTokens = count(value.inputTokens, MOST_TOKENS, at("inputTokens"), problems);
  const outputTokens = count(value.outputTokens, MOST_TOKENS, at("outputTokens"), problems);
  const costUsd = amount(value.costUsd, at("costUsd"), problems);
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, costUsd };
}

const MOST_TOKENS = 1e12;

/** The longest timer. */
const MOST_DELAY_MS = 2 ** 31 - 1;

function asExpect(
  value: unknown,
  roles: ReadonlyMap<string, unknown> | null,
  place: FieldPosition,
  problems: Problem[],
): readonly string[] | null {
  if (value === undefined || value === null) return null;
  if (!Array.isArray(value) || !value.every((role) => typeof role === "string")) {
    report(problems, place, "must be a list of roles");
    return null;
  }
  for (const role of new Set<string>(value)) {
    if (roles === null || roles.has(role)) continue;
    const meant = suggest(role, [...roles.keys()]);
    const near = meant === null ? "" : `, did you mean "${meant}"?`;
    const path = [...place.path, value.indexOf(role)];
    problems.push({ path, sentence: `expect names ${role}, which is not in roles${near}` });
  }
  return value;
}

function asEnd(value: unknown, place: FieldPosition, problems: Problem[]): Scenario["end"] {
  if (value === undefined || value === null) return null;
  if (value === END || value === FAIL) return value;
  report(problems, place, `must be ${END} or ${FAIL}`);
  return null;
}

function report(problems: Problem[], { path, name }: FieldPosition, predicate: string): void {
  problems.push({ path, sentence: `${name} ${predicate}` });
}

function refuseOthers(
  given: Fields,
  known: readonly string[],
  place: FieldPosition,
  problems: Problem[],
): void {
  for (const key of Object.keys(given).filter((key) => !known.includes(key))) {
    const sentence = `${place.name} has the unknown key ${key}; known are ${known.join(", ")}`;
    problems.push({ path: [...place.path, key], sentence });
  }
}

function text(value: unknown, place: FieldPosition, problems: Problem[]): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "string") return value;
  report(problems, place, "must be a text; quote it or write it as a block (|)");
  return null;
}

function texts(value: unknown, place: FieldPosition, problems: Problem[]): readonly string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) return value;
  report(problems, place, "must be a list of texts");
  return [];
}

function flag(value: unknown, place: FieldPosition, problems: Problem[]): boolean {
  if (typeof value !== "boolean" && value !== undefined && value !== null)
    report(problems, place, "must be true or false");
  return value === true;
}

function amount(value: unknown, place: FieldPosition, problems: Problem[]): number | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "number" && Number.isFinite(value) && value >= 0) return value;
  report(problems, place, "must be a number, 0 or more");
  return null;
}

function count(value: unknown, most: number, place: FieldPosition, problems: Problem[]): number {
  if (value === undefined || value === null) return 0;
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= most) return value;
  report(problems, place, `must be a whole number from 0 to ${most}`);
  return 0;
}

export type Parsed =
  | { readonly ok: true; readonly scenario: Scenario }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Parses a scenario in JSON or YAML; on failure every problem as a sentence with its line. A draft may lack replies: somebody is about to
 * add them.
 */
export async function parseScenario(text: string, file: string, isDraft = false): Promise<Parsed> {
  const json = asJson(text);
  const yaml = json === undefined ? (await import("./yaml.js")).readYaml(text) : null;
  if (yaml !== null && !yaml.ok) return yaml;
  const problems: Problem[] = [];
  const scenario = asScenario(yaml === null ? json : yaml.value, file, isDraft, problems);
  if (problems.length === 0) return { ok: true, scenario };
  return { ok: false, problems: (await import("./yaml.js")).withLines(text, problems) };
}

/** `undefined` if it is not JSON, or says a key twice: then YAML parses it, or says where it is wrong. */
function asJson(text: string): unknown {
  if (!text.trimStart().startsWith("{")) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
