import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { computeHash, DecodeError, decodeNode } from "@uncaged/json-cas";
import type { Random } from "../frame.js";
import { type Area, type Damage, HOWS, type How, type Snapshot } from "./lab.js";

/** The first that fits says what a file is. */
const AREAS: readonly (readonly [RegExp, Area])[] = [
  [/^cas\/[0-9A-Z]{13}\.bin$/, "node"],
  [/^cas\/pack\//, "pack"],
  [/^cas\/_index\//, "index"],
  [/^cas\/_format$/, "format"],
  [/^threads\.yaml$/, "threads"],
  [/^history\.jsonl$/, "history"],
  [/^removed\.jsonl$/, "removed"],
  [/^registry\.yaml$/, "registry"],
  [/^runs\/[^/]+\/ending$/, "ending"],
  [/^runs\/[^/]+\/(hold|pause|notes|limits)\.jsonl?$/, "hold"],
  [/^runs\/[^/]+\/spent\.jsonl$/, "spent"],
  [/^children\.jsonl$/, "family"],
  [/^registry-history\.jsonl$/, "versions"],
  [/^runs\//, "run"],
  [/^(config\.yaml|\.env)$/, "settings"],
  [/^logs\//, "log"],
  [/^locks\//, "lock"],
];

/** Nodes are most of the files; every other area gets its share of the damages too. */
const SHARES: Readonly<Record<Area, number>> = {
  node: 10,
  pack: 10,
  threads: 5,
  history: 4,
  run: 4,
  removed: 2,
  registry: 3,
  ending: 2,
  hold: 3,
  spent: 2,
  family: 2,
  versions: 2,
  settings: 2,
  log: 2,
  lock: 2,
  index: 2,
  format: 1,
  other: 1,
};

export function areaOf(name: string): Area {
  return AREAS.find(([pattern]) => pattern.test(name))?.[1] ?? "other";
}

/** Chooses a file and a way to damage it. */
export function chooseDamage(whole: Snapshot, random: Random): Damage {
  const file = chooseFile([...whole.keys()], random);
  const how = random.pick(HOWS);
  const others = [...whole.keys()].filter((name) => name !== file && areaOf(name) === areaOf(file));
  const other = others[random.below(others.length)];
  return damageOf(whole, random, { how: how === "swap" && other === undefined ? "flip" : how, file, other });
}

function chooseFile(names: readonly string[], random: Random): string {
  const areas = [...new Set(names.map(areaOf))];
  let left = random.below(areas.reduce((sum, area) => sum + SHARES[area], 0));
  const area = areas.find((each) => {
    left -= SHARES[each];
    return left < 0;
  });
  const files = names.filter((name) => areaOf(name) === area);
  return files[random.below(files.length)] ?? "";
}

type Choice = { readonly how: How; readonly file: string; readonly other: string | undefined };

function damageOf(whole: Snapshot, random: Random, { how, file, other }: Choice): Damage {
  const before = whole.get(file) ?? new Uint8Array();
  const area = areaOf(file);
  if (how === "swap" && other !== undefined) {
    const after = new Map([
      [file, whole.get(other) ?? null],
      [other, before],
    ]);
    return { how, area, files: [file, other], after };
  }
  return { how, area, files: [file], after: new Map([[file, changed(before, how, random)]]) };
}

function changed(before: Uint8Array, how: How, random: Random): Uint8Array | null {
  switch (how) {
    case "delete":
      return null;
    case "truncate":
      return before.slice(0, random.below(before.length));
    case "zero":
      return new Uint8Array(before.length);
    default:
      return flipped(before, random);
  }
}

const LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** One bit; or, where a hash or an id may stand, one of its letters, which is the flip that is hardest to see. */
function flipped(before: Uint8Array, random: Random): Uint8Array {
  const after = Uint8Array.from(before);
  const letters = [...before.keys()].filter((place) =>
    LETTERS.includes(String.fromCharCode(before[place] ?? 0)),
  );
  if (letters.length === 0 || random.below(2) === 0) {
    const place = random.below(after.length);
    after[place] = (after[place] ?? 0) ^ (1 << random.below(8));
    return after;
  }
  after[letters[random.below(letters.length)] ?? 0] = LETTERS.charCodeAt(random.below(LETTERS.length));
  return after;
}

export function inflict(root: string, { after }: Damage): void {
  for (const [name, bytes] of after) {
    if (bytes === null) rmSync(join(root, name));
    else writeFileSync(join(root, name), bytes);
  }
}

export function describe({ how, files, after }: Damage): string {
  const shown = files.map((name) => {
    const bytes = after.get(name);
    return bytes
      ? `${name} is now ${JSON.stringify(Buffer.from(bytes).toString("latin1").slice(0, 600))}`
      : name;
  });
  return `${how} ${shown.join(" and ")}`;
}

// Some damage cannot be told from an edit that somebody made on purpose: the file still is what the storage format
// says it has to be. This is a reader of that format of its own, strict and without the product's code: what it
// takes for whole cannot be detected by anybody; everything else has to be.

/** What an undetectable damage changed: threads, names of workflows, or times of nodes; `null` when it is detectable. */
export type Lookalike = {
  readonly threads: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
  readonly times: boolean;
};

const HASH = "[0-9A-F][0-9A-HJKMNP-TV-Z]{12}";
const THREAD = "[0-7][0-9A-HJKMNP-TV-Z]{25}";
const NAME = "[a-z][a-z0-9]*(?:-[a-z0-9]+)*";

export function lookalikeOf(whole: Snapshot, damage: Damage): Lookalike | null {
  const [file = ""] = damage.files;
  const after = damage.after.get(file);
  if (damage.files.length > 1 || after === undefined) return null;
  const before = whole.get(file) ?? new Uint8Array();
  switch (areaOf(file)) {
    case "threads":
      return changes(flat(before, THREAD), flat(after, THREAD), "threads");
    case "registry":
      return changes(flat(before, NAME), flat(after, NAME), "names");
    case "history":
      return changes(history(before), history(after), "threads");
    case "ending":
      return after === null || isEnding(after) ? ownerOf(file) : null;
    case "hold":
      return after === null || isHold(after) || isPause(after) || areNotes(after) || isLimit(after)
        ? ownerOf(file)
        : null;
    case "spent":
      return lines(after, spent) === null ? null : ownerOf(file);
    case "family":
      return family(before, after);
    case "removed":
      return changes(removed(before), removed(after), "threads");
    case "versions":
      return changes(versions(before), versions(after), "names");
    case "node":
      return after === null ? null : sameNode(file, after);
    default:
      return null;
  }
}

type Entries = ReadonlyMap<string, string>;

function changes(before: Entries | null, after: Entries | null, what: "threads" | "names"): Lookalike | null {
  if (before === null || after === null) return null;
  const keys = [...new Set([...before.keys(), ...after.keys()])];
  const changed = new Set(keys.filter((key) => before.get(key) !== after.get(key)));
  const none = new Set<string>();
  return {
    threads: what === "threads" ? changed : none,
    names: what === "names" ? changed : none,
    times: false,
  };
}

/** Whoever takes `ending` away revives the thread, and `hold.json` or `pause.json` lets it go on: nothing else says it. */
function ownerOf(file: string): Lookalike {
  return { threads: new Set([file.split("/")[1] ?? ""]), names: new Set(), times: false };
}

function isEnding(bytes: Uint8Array): boolean {
  const { head, reason, completedAt } = jsonOf(bytes);
  return matches(head, HASH) && REASONS.has(reason) && Number.isSafeInteger(completedAt);
}

function isHold(bytes: Uint8Array): boolean {
  const { head, role, agent, since, config, told, for: what, question = null, until = null } = jsonOf(bytes);
  return (
    matches(head, HASH) &&
    typeof role === "string" &&
    (agent === null || typeof agent === "string") &&
    isTime(since) &&
    typeof config === "string" &&
    typeof told === "boolean" &&
    (what === "answer" || what === "change") &&
    (question === null || typeof question === "string") &&
    (until === null || isTime(until))
  );
}

function isPause(bytes: Uint8Array): boolean {
  const { since, why } = jsonOf(bytes);
  return isTime(since) && (why === null || typeof why === "string");
}

function areNotes(bytes: Uint8Array): boolean {
  const lines = (utf8(bytes) ?? "?").split("\n").filter((line) => line !== "");
  return lines.every((line) => {
    const { text, by, at } = jsonOf(Buffer.from(line));
    return typeof text === "string" && typeof by === "string" && isTime(at);
  });
}

function isLimit(bytes: Uint8Array): boolean {
  const { maxSteps, maxCostUsd, maxMinutes } = jsonOf(bytes);
  return [maxSteps, maxCostUsd, maxMinutes].every((limit) => limit === null || isAmount(limit));
}

function isAmount(value: unknown): boolean {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

type Line = Readonly<Record<string, unknown>>;

/**
 * The records of a file to which lines are appended; `null`: it is damaged. What stands after the last newline is a torn
 * write unless it is whole.
 */
function lines(bytes: Uint8Array | null, isWhole: (line: Line) => boolean): readonly Line[] | null {
  const texts = Buffer.from(bytes ?? [])
    .toString("utf8")
    .split("\n");
  const last = jsonOf(Buffer.from(texts.pop() ?? ""));
  const all = texts.map((text) => jsonOf(Buffer.from(text)));
  if (!all.every(isWhole)) return null;
  return isWhole(last) ? [...all, last] : all;
}

function spent({ run, steps, ms, costUsd, unknownCost }: Line): boolean {
  return typeof run === "string" && [steps, ms, costUsd, unknownCost].every(isAmount);
}

/** Whoever stands in a line that is gone, or another one now, has other kin. */
function family(before: Uint8Array, after: Uint8Array | null): Lookalike | null {
  const now = lines(after, isChild);
  if (now === null) return null;
  const texts = (all: readonly Line[]): readonly string[] => all.map((line) => JSON.stringify(line));
  const was = lines(before, isChild) ?? [];
  const changed = [
    ...was.filter((line) => !texts(now).includes(JSON.stringify(line))),
    ...now.filter((line) => !texts(was).includes(JSON.stringify(line))),
  ];
  const threads = new Set(changed.flatMap(({ child, parent }) => [String(child), String(parent)]));
  return { threads, names: new Set(), times: false };
}

function isChild({ child, parent, head, role, item, at }: Line): boolean {
  return (
    matches(child, THREAD) &&
    matches(parent, THREAD) &&
    matches(head, HASH) &&
    typeof role === "string" &&
    (item === null || isTime(item)) &&
    isTime(at)
  );
}

/** Each name with all that it pointed to. */
function versions(bytes: Uint8Array | null): Entries | null {
  return entriesBy(lines(bytes, isVersion), "name");
}

/** Each thread with its ends that were removed. */
function removed(bytes: Uint8Array | null): Entries | null {
  const isEnd = ({ thread, completedAt, at }: Line): boolean =>
    matches(thread, THREAD) && isTime(completedAt) && (at === null || isTime(at));
  return entriesBy(lines(bytes, isEnd), "thread");
}

function entriesBy(all: readonly Line[] | null, key: string): Entries | null {
  if (all === null) return null;
  const entries = new Map<string, string>();
  for (const line of all) {
    const name = String(line[key]);
    entries.set(name, `${entries.get(name) ?? ""}${JSON.stringify(line)}`);
  }
  return entries;
}

function isVersion({ name, hash, previous, source, at }: Line): boolean {
  const isHash = (value: unknown): boolean => value === null || matches(value, HASH);
  return matches(name, NAME) && isHash(hash) && isHash(previous) && isHash(source) && isTime(at);
}

function isTime(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

const REASONS: ReadonlySet<unknown> = new Set(["end", "failed", "killed"]);

function jsonOf(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(Buffer.from(bytes).toString("utf8")) ?? {};
  } catch {
    return {};
  }
}

/** `key: "hash"`, a line each; comments. A file that is not there has no entries, one without a line is damaged. */
function flat(bytes: Uint8Array | null, key: string): Entries | null {
  if (bytes === null) return new Map();
  const text = Buffer.from(bytes).toString("latin1");
  const pattern = new RegExp(`^(${key}): "(${HASH})"$`);
  const entries = new Map<string, string>();
  for (const line of text.split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const [, name, hash] = pattern.exec(line) ?? [];
    if (name === undefined || hash === undefined || entries.has(name)) return null;
    entries.set(name, hash);
  }
  return entries.size === 0 && text !== "{}\n" ? null : entries;
}

/** One record a line; what stands after the last newline is a torn write unless it is whole. The first line of a thread counts. */
function history(bytes: Uint8Array | null): Entries | null {
  const entries = new Map<string, string>();
  if (bytes === null) return entries;
  const text = utf8(bytes);
  if (text === null) return null;
  const lines = text.split("\n");
  const torn = lines.pop() ?? "";
  const last = record(torn);
  for (const line of lines) {
    const known = record(line);
    if (known === null) return null;
    if (!entries.has(known.thread)) entries.set(known.thread, known.text);
  }
  if (last !== null && !entries.has(last.thread)) entries.set(last.thread, last.text);
  return entries;
}

function record(line: string): { readonly thread: string; readonly text: string } | null {
  try {
    const { thread, workflow, head, completedAt, reason = "end" } = JSON.parse(line);
    const isWhole =
      matches(thread, THREAD) &&
      matches(workflow, HASH) &&
      matches(head, HASH) &&
      Number.isSafeInteger(completedAt) &&
      REASONS.has(reason);
    return isWhole ? { thread, text: JSON.stringify([workflow, head, completedAt, reason]) } : null;
  } catch {
    return null;
  }
}

function matches(value: unknown, pattern: string): boolean {
  return typeof value === "string" && new RegExp(`^${pattern}$`).test(value);
}

/** The time of a node is not hashed, so nobody can tell whether it is the right one. */
function sameNode(file: string, bytes: Uint8Array): Lookalike | null {
  try {
    const { type, payload } = decodeNode(bytes);
    const isSame = file === `cas/${computeHash(type, payload)}.bin`;
    return isSame ? { threads: new Set(), names: new Set(), times: true } : null;
  } catch (error) {
    if (error instanceof DecodeError) return null;
    throw error;
  }
}

/** What is no UTF-8 looks like nothing: a replaced character would make another key of a damaged one. */
function utf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
