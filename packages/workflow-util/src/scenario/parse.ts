import { isObject, parseJson, suggest } from "@uncaged/json-cas";
import { END, FAIL } from "@uncaged/workflow-protocol";

// Gate: a scenario file becomes typed here; `problems` collects what is wrong. The tables of its keys are read by the gate,
// and `uwf help scenarios` is made of them.

/** Keys and indexes from the root of the file to a value. */
export type Path = readonly (string | number)[];

/** A sentence about the value at `path`. */
export type Problem = { readonly path: Path; readonly sentence: string };

/** A value of the file: where it stands, and what a sentence calls it. */
type FieldPosition = { readonly path: Path; readonly name: string };

type Read<T> = (value: unknown, place: FieldPosition, problems: Problem[]) => T;

/** How the value of a key is read, also where it is absent. */
type Field<T> = { readonly read: Read<T> };

type Fields = Readonly<Record<string, Field<unknown>>>;

/** With what a person wants to know about each. */
type Told = Readonly<Record<string, Field<unknown> & { readonly about: string }>>;

type Values<F extends Fields> = { readonly [Key in keyof F]: F[Key] extends Field<infer T> ? T : never };

/** The longest timer. */
const MOST_DELAY_MS = 2 ** 31 - 1;

/** One entry of a role. */
export const ENTRY = {
  reply: { read: text, about: "the reply; required unless `exitCode` is not 0" },
  delayMs: { read: countTo(MOST_DELAY_MS), about: "wait before the reply" },
  exitCode: {
    read: countTo(255),
    about: "how the agent exits; a reply is stored and printed all the same",
  },
  stdoutNoise: { read: text, about: "what it prints on stdout before the hash" },
  stderr: { read: text, about: "what it prints on stderr" },
  sessionId: { read: text, about: "the session of the reply; later visits of the role continue it" },
  sessionLost: { read: flag, about: "whether the session of the last visit is gone at this one" },
  continue: {
    read: texts,
    about: "replies, in order, to requests for a valid header in the same session; the last one repeats",
  },
  usage: { read: asTokens, about: "`{inputTokens, outputTokens, costUsd}` of the reply" },
} satisfies Told;

/** One reply of the mock, after the gate; absent fields are `null`, `false`, 0 or `[]`. Without a reply `exitCode` is not 0. */
export type Entry = Values<typeof ENTRY>;

/** A scenario's file. */
export const SCENARIO = {
  texts: {
    read: asTexts,
    about:
      "texts by name: they are stored, and `{{name}}` in a reply becomes the hash, for fields that refer to a node",
  },
  roles: {
    read: asRoles,
    about: "a list of entries for each role: the n-th visit plays the n-th, the last one repeats",
  },
  expect: {
    read: asOrder,
    about:
      "the order in which the roles must come; another role is an error. `--update` writes the one that was played",
  },
  end: { read: asEnd, about: "where the thread has to end: `$END`, or `$FAIL`; without it `$END`" },
  prompt: { read: text, about: "the thread's task, for conditions that read it" },
} satisfies Told;

/** A scenario after the gate. What is `null` it does not say: any order, any task; an agent sees neither end nor task. */
export type Scenario = Values<typeof SCENARIO> & { readonly file: string };

/** A map with these keys and no others. */
function readFields<F extends Fields>(
  given: Readonly<Record<string, unknown>>,
  fields: F,
  place: FieldPosition,
  problems: Problem[],
  nameOf: (key: string) => string,
): Values<F> {
  refuseOthers(given, Object.keys(fields), place, problems);
  const read = Object.entries(fields).map(([key, field]) => [
    key,
    field.read(given[key], { path: [...place.path, key], name: nameOf(key) }, problems),
  ]);
  return Object.fromEntries(read) as Values<F>;
}

function asScenario(given: unknown, file: string, isDraft: boolean, problems: Problem[]): Scenario {
  const value = isDraft ? drafted(given) : given;
  if (!isObject(value)) problems.push({ path: [], sentence: "a scenario is a map with the key roles" });
  const whole = { path: [], name: "the scenario" };
  const found: Problem[] = isObject(value) ? problems : [];
  const scenario = readFields(isObject(value) ? value : {}, SCENARIO, whole, found, (key) => key);
  if (!isDraft && isObject(value) && isObject(value.roles)) checkOrder(scenario, problems);
  return { file, ...scenario };
}

/** A draft may have no replies yet, or be empty. */
function drafted(given: unknown): unknown {
  if (given === undefined || given === null) return { roles: {} };
  return isObject(given) && (given.roles === undefined || given.roles === null)
    ? { ...given, roles: {} }
    : given;
}

function asTexts(value: unknown, { path }: FieldPosition, problems: Problem[]): ReadonlyMap<string, string> {
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

function asRoles(
  value: unknown,
  place: FieldPosition,
  problems: Problem[],
): ReadonlyMap<string, readonly Entry[]> {
  if (isObject(value))
    return new Map(
      Object.entries(value).map(([role, entries]) => [role, asEntries(entries, role, problems)]),
    );
  report(problems, place, "must be a map from role to a list of entries");
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
  if (!isObject(value)) report(problems, place, "must be a map with the key reply");
  const given = isObject(value) ? value : {};
  const entry = readFields(given, ENTRY, place, problems, (key) => `${key} in ${place.name}`);
  if (isObject(value) && (given.reply ?? null) === null && entry.exitCode === 0)
    report(problems, place, "needs a reply, or an exitCode other than 0");
  return entry;
}

/** An entry that has nothing but its reply. */
export function plainEntry(reply: string): Entry {
  return asEntry({ reply }, { path: [], name: "" }, []);
}

const MOST_TOKENS = 1e12;

const TOKENS = {
  inputTokens: { read: countTo(MOST_TOKENS) },
  outputTokens: { read: countTo(MOST_TOKENS) },
  costUsd: { read: amount },
};

function asTokens(value: unknown, place: FieldPosition, problems: Problem[]): Tokens | null {
  if (value === undefined || value === null) return null;
  if (!isObject(value) || value.inputTokens === undefined || value.outputTokens === undefined) {
    report(problems, place, "must be a map with inputTokens and outputTokens");
    return null;
  }
  const tokens = readFields(value, TOKENS, place, problems, (key) => `${key} of ${place.name}`);
  return { ...tokens, totalTokens: tokens.inputTokens + tokens.outputTokens };
}

function asOrder(value: unknown, place: FieldPosition, problems: Problem[]): readonly string[] | null {
  if (value === undefined || value === null) return null;
  if (Array.isArray(value) && value.every((role) => typeof role === "string")) return value;
  report(problems, place, "must be a list of roles");
  return null;
}

/** Every role that is expected has replies. */
function checkOrder({ expect, roles }: Pick<Scenario, "expect" | "roles">, problems: Problem[]): void {
  for (const role of new Set(expect ?? [])) {
    if (roles.has(role)) continue;
    const meant = suggest(role, [...roles.keys()]);
    const near = meant === null ? "" : `, did you mean "${meant}"?`;
    const path = ["expect", expect?.indexOf(role) ?? 0];
    problems.push({ path, sentence: `expect names ${role}, which is not in roles${near}` });
  }
}

function asEnd(value: unknown, place: FieldPosition, problems: Problem[]): typeof END | typeof FAIL | null {
  if (value === undefined || value === null) return null;
  if (value === END || value === FAIL) return value;
  report(problems, place, `must be ${END} or ${FAIL}`);
  return null;
}

function report(problems: Problem[], { path, name }: FieldPosition, predicate: string): void {
  problems.push({ path, sentence: `${name} ${predicate}` });
}

function refuseOthers(
  given: object,
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

function countTo(most: number): Read<number> {
  return (value, place, problems) => {
    if (value === undefined || value === null) return 0;
    if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= most) return value;
    report(problems, place, `must be a whole number from 0 to ${most}`);
    return 0;
  };
}

type Tokens = {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
  /** `null`: not known. */
  readonly costUsd: number | null;
};

export type Parsed =
  | { readonly ok: true; readonly scenario: Scenario }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Parses a scenario in JSON or YAML; on failure every problem as a sentence with its line. A draft may lack replies: somebody is about to
 * add them.
 */
export async function parseScenario(text: string, file: string, isDraft = false): Promise<Parsed> {
  const json = asJson(text);
  // yaml costs 13 ms, and a scenario in JSON needs none.
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
