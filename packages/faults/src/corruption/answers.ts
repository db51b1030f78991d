import { existsSync } from "node:fs";
import { join } from "node:path";
import { computeHash, decodeNode, META_SCHEMA_HASH } from "@uncaged/json-cas";
import type { Breach } from "../invariants.js";
import type { Ran } from "../world.js";
import { areaOf, type Damage, shownBytes } from "./damage.js";
import { bytesOf, type Lab, type Question, sameBytes } from "./lab.js";

/** A damage of a store, and what it can change: all else must not be changed by it. */
export type Look = {
  readonly lab: Lab;
  readonly damage: Damage;
  readonly threads: ReadonlySet<string>;
  /** Workflows, by their names. */
  readonly names: boolean;
  /** A schema is damaged, which every write of a node of that type needs. */
  readonly types: boolean;
};

/** Files that all threads are read from, and all workflows. */
const ALL: ReadonlySet<string> = new Set(["threads", "history", "format", "pack"]);

export function lookAt(lab: Lab, damage: Damage): Look {
  const { area, files } = damage;
  const hashes = files.map(hashOf);
  const reached = lab.subjects.filter(
    ({ thread, reach }) =>
      files.some((file) => file.includes(thread)) || hashes.some((hash) => reach.has(hash)),
  );
  const everyone = ALL.has(area) || area === "family";
  const threads = new Set((everyone ? lab.subjects : reached).map(({ thread }) => thread));
  // Nobody says which nodes only a workflow reaches: those that no thread does, and those that all of its threads do.
  const ofWorkflow = area === "node" && (reached.length === 0 || reached.length === lab.subjects.length);
  const types = files.some((file) => {
    const bytes = hashOf(file) === "" ? undefined : lab.whole.get(file);
    return bytes !== undefined && decodeNode(bytes).type === META_SCHEMA_HASH;
  });
  return { lab, damage, threads, names: ALL.has(area) || area === "registry" || ofWorkflow, types };
}

/** The hash in a node's file name; "" for another file. */
export function hashOf(file: string): string {
  return /^cas\/([0-9A-Z]{13})\.bin$/.exec(file)?.[1] ?? "";
}

// Every answer is the one of the undamaged store, or an error that names what is damaged. `thread list` marks a
// damaged thread instead. An answer that is wrong and looks right is what this is all about.

const NOT_FOUND = 3;
const INVALID = 4;
const STORE_DAMAGED = 7;

/** What is wrong with an answer. */
export function judgeAnswer(look: Look, question: Question, got: Ran): readonly Breach[] {
  const { damage } = look;
  const { args } = question;
  const line = `uwf ${args.join(" ")} ended with ${got.code ?? got.signal}\n${got.stdout}${got.stderr}`;
  const breach = (promise: string): readonly Breach[] => [{ promise, evidence: line }];
  if (got.code === 1 || /\n\s+at \S+ .*:\d+:\d+/.test(got.stderr))
    return breach("damage is an error with a code, never a bug");
  if (isSame(look, question, got)) return [];
  // What may be spent stands in config.yaml too.
  const isSetting = args[1] === "limit" && damage.area === "settings" && got.code === INVALID;
  if (!isSetting && !mayDiffer(look, question)) return breach("what is not damaged is answered as before");
  if (got.code === 0) return isMarked(look, question, got) ? [] : breach("an answer is right, or an error");
  if (got.stdout !== "") return breach("an error leaves stdout empty");
  if (got.code === NOT_FOUND && isAskedFor(damage, args)) return [];
  if (got.code !== STORE_DAMAGED && !isSetting) return breach("damage is exit 7");
  return names(look, got.stderr) ? [] : breach("what is damaged is named");
}

/** A node that somebody asks for by its hash and that is gone is not found. */
export function isAskedFor({ how, area, files }: Damage, args: readonly string[]): boolean {
  return how === "delete" && (area === "pack" || files.some((file) => args.includes(hashOf(file))));
}

/** Of `StepOutput`. What `show` tells beside these from logs, locks, runs and other threads is told with a warning. */
const CORE = ["workflow", "thread", "head", "done", "reason"] as const;

const SIDE: ReadonlySet<string> = new Set(["log", "lock", "run", "family", "node", "pack"]);

function isSame({ damage }: Look, { answer, args }: Question, got: Ran): boolean {
  if (got.code !== answer.code) return false;
  const shown = (text: string): string => {
    // The time of a packed node is not checked when it is read: only `verify` can tell, by the checksum of its pack.
    if (damage.area === "pack") return withoutTimes(text);
    if (args[1] !== "show" || !SIDE.has(damage.area) || !text.startsWith("{")) return text;
    const fields = JSON.parse(text);
    return JSON.stringify(CORE.map((name) => fields[name]));
  };
  return shown(got.stdout) === shown(answer.stdout);
}

function withoutTimes(text: string): string {
  return text
    .replaceAll(/"(timestamp|startedAt|since)": -?[0-9.e+]+/g, '"$1": 0')
    .replaceAll(/[+-]?\d{4,6}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?( UTC|Z)?/g, "then");
}

/** Whether the damage can change the answer, be it to an error. */
export function mayDiffer({ threads, names, damage }: Look, { subject, tellsOf, args }: Question): boolean {
  if (ALL.has(damage.area)) return true;
  if (subject !== null) return tellsOf.some((thread) => threads.has(thread));
  return args[0] === "thread" ? threads.size > 0 : names;
}

type Item = { readonly thread: string; readonly error?: string };

/** What is shown around a text that cannot be read, which is named in its place. */
const SHOWN_AROUND: ReadonlySet<string> = new Set(["read", "step-details", "usage"]);

/** It names a node of a pack, whose own file nobody has to name then. */
const UNREADABLE = /^\(The text of this reply, node [0-9A-Z]{13}, is (damaged|gone)\.\)$/m;

/** A list in which undamaged threads stand as before, and damaged ones are marked; a history that names what is damaged. */
function isMarked(look: Look, { args, answer }: Question, got: Ran): boolean {
  const { threads, damage } = look;
  if (SHOWN_AROUND.has(args[1] ?? ""))
    return names(look, got.stdout + got.stderr) || (damage.area === "pack" && UNREADABLE.test(got.stdout));
  if (args[1] !== "list" || args[0] !== "thread" || answer.code !== 0) return false;
  const [before, now]: (readonly Item[])[] = [JSON.parse(answer.stdout), JSON.parse(got.stdout)];
  const isAsBefore = (item: Item): boolean =>
    before?.some((each) => JSON.stringify(each) === JSON.stringify(item)) === true;
  const isTold = (item: Item): boolean => threads.has(item.thread) && item.error !== undefined;
  const isThere = ({ thread }: Item): boolean => now?.some((item) => item.thread === thread) === true;
  return now?.every((item) => isAsBefore(item) || isTold(item)) === true && before?.every(isThere) === true;
}

/** The file with its path, or the node by its hash. */
export function names({ lab, damage }: Look, told: string): boolean {
  // Without its pack nothing says where the nodes were that are missing now.
  if (damage.area === "pack" && damage.how === "delete") return true;
  return damage.files.some((file) => {
    const hash = hashOf(file);
    // A pack and its index do not fit each other, whichever of them it is.
    const path = damage.area === "pack" ? file.replace(/\.[a-z]+$/, ".") : file;
    return told.includes(join(lab.world.root, path)) || (hash !== "" && told.includes(hash));
  });
}

// Nobody overwrites what is damaged: a person may still want to mend it. Excepted is what is derived or coordination
// (index, cache, locks), what is only ever appended to, and a node, which may be put again as it has to be.

/** Files that are not as they must be after commands have run on a damaged store. */
export function touched(look: Look): readonly Breach[] {
  const { lab, damage } = look;
  return [...lab.whole].flatMap(([name, whole]) => {
    const isVictim = damage.after.has(name);
    const expected = isVictim ? (damage.after.get(name) ?? null) : whole;
    const now = bytesOf(lab.world.root, name);
    if (sameBytes(now, expected) || mayChange(look, name, expected, now)) return [];
    const promise = isVictim ? "nothing damaged is overwritten" : "nothing whole is lost";
    return [{ promise, evidence: `${name} is now ${shownBytes(now)}` }];
  });
}

function mayChange(
  { lab, damage }: Look,
  name: string,
  expected: Uint8Array | null,
  now: Uint8Array | null,
): boolean {
  const isVictim = damage.after.has(name);
  // A thread that a kill has ended has no files any more.
  const [, folder = ""] = /^(runs\/[^/]+)\//.exec(name) ?? [];
  if (folder !== "" && !existsSync(join(lab.world.root, folder))) return true;
  if (name.endsWith(".jsonl"))
    return expected === null || (now !== null && sameBytes(now.subarray(0, expected.length), expected));
  switch (areaOf(name)) {
    case "index":
    case "lock":
    case "other":
      return true;
    case "node":
      return isVictim && now !== null && isGood(name, now);
    case "threads":
    case "registry":
      // Whole files are for writing.
      return now !== null && !isVictim;
    case "run":
      return !isVictim || damage.area === "run";
    case "format":
      return expected === null;
    default:
      return false;
  }
}

function isGood(name: string, bytes: Uint8Array): boolean {
  try {
    const { type, payload } = decodeNode(bytes);
    return computeHash(type, payload) === hashOf(name);
  } catch {
    return false;
  }
}
