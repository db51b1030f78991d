import { existsSync } from "node:fs";
import { join } from "node:path";
import { computeHash, decodeNode, META_SCHEMA_HASH } from "@uncaged/json-cas";
import type { Breach } from "../invariants.js";
import type { Ran } from "../world.js";
import { areaOf, type Lookalike } from "./damage.js";
import { bytesOf, type Damage, type Lab, type Question, type Subject, sameBytes } from "./lab.js";

/** What a damage can change, and so what must not be changed by it. */
type Affected = {
  readonly threads: ReadonlySet<string>;
  /** Names of workflows. */
  readonly names: ReadonlySet<string>;
  /** Nothing of the store can be trusted to be read. */
  readonly all: boolean;
  /** A schema is damaged, which every write of a node of that type needs. */
  readonly types: boolean;
};

export function affectedBy(lab: Lab, damage: Damage, lookalike: Lookalike | null): Affected {
  const threads = new Set(lab.subjects.filter((subject) => touches(damage, subject)).map(threadOf));
  const none = new Set<string>();
  const types = damage.files.some((file) => isSchema(lab, file));
  if (lookalike !== null && damage.area !== "node") return { ...lookalike, all: false, types };
  switch (damage.area) {
    case "threads":
    case "history":
    case "removed":
    case "format":
    case "pack":
      return {
        threads: new Set(lab.subjects.map(threadOf)),
        names: new Set(["turns", "other"]),
        all: true,
        types,
      };
    case "registry":
      return { threads: none, names: new Set(["turns", "other"]), all: false, types };
    case "node":
      return { threads, names: namesOf(lab, damage), all: false, types };
    case "family":
      return { threads: new Set(lab.subjects.map(threadOf)), names: none, all: false, types };
    case "versions":
      return { threads: none, names: new Set(["turns", "other"]), all: false, types };
    case "ending":
    case "hold":
    case "spent":
    case "run":
    case "lock":
      return { threads, names: none, all: false, types };
    default:
      return { threads: none, names: none, all: false, types };
  }
}

function threadOf({ thread }: Subject): string {
  return thread;
}

function isSchema({ whole }: Lab, file: string): boolean {
  const bytes = hashOf(file) === "" ? undefined : whole.get(file);
  return bytes !== undefined && decodeNode(bytes).type === META_SCHEMA_HASH;
}

/** Whether a damaged node is part of the thread's history, or a damaged file has its name. */
function touches({ files }: Damage, { thread, reach }: Subject): boolean {
  return files.some((file) => file.includes(thread) || reach.has(hashOf(file)));
}

/** Nobody says which nodes only a workflow reaches: those that no thread does, and those that all of its threads do. */
function namesOf({ subjects }: Lab, { files }: Damage): ReadonlySet<string> {
  const hashes = files.map(hashOf);
  const everywhere = hashes.some((hash) => subjects.every(({ reach }) => reach.has(hash)));
  const nowhere = hashes.some((hash) => !subjects.some(({ reach }) => reach.has(hash)));
  return new Set(everywhere || nowhere ? ["turns", "other"] : []);
}

/** The hash in a node's file name; "" for another file. */
export function hashOf(file: string): string {
  return /^cas\/([0-9A-Z]{13})\.bin$/.exec(file)?.[1] ?? "";
}

// Every answer is the one of the undamaged store, or an error that names what is damaged. `thread list` marks a
// damaged thread instead. An answer that is wrong and looks right is what this is all about.

const INVALID = 4;
const STORE_DAMAGED = 7;
const NOT_FOUND = 3;
const ENDED = 8;

export type Look = {
  readonly lab: Lab;
  readonly damage: Damage;
  readonly lookalike: Lookalike | null;
  readonly affected: Affected;
};

/** What is wrong with an answer. */
export function judgeAnswer(look: Look, question: Question, got: Ran): readonly Breach[] {
  const line = `uwf ${question.args.join(" ")} ended with ${got.code ?? got.signal}\n${got.stdout}${got.stderr}`;
  const breach = (promise: string): readonly Breach[] => [{ promise, evidence: line }];
  if (got.code === 1 || /\n\s+at \S+ .*:\d+:\d+/.test(got.stderr))
    return breach("damage is an error with a code, never a bug");
  if (isSame(look, question, got)) return [];
  // What may be spent stands in config.yaml too.
  if (question.args[1] === "limit" && look.damage.area === "settings" && got.code === INVALID)
    return names(look, got.stderr) ? [] : breach("what is damaged is named");
  if (!mayDiffer(look, question)) return breach("what is not damaged is answered as before");
  if (got.code === 0) {
    return isMarked(look, question, got) || isExcused(look, question)
      ? []
      : breach("an answer is right, or an error");
  }
  if (got.stdout !== "") return breach("an error leaves stdout empty");
  if (look.lookalike !== null && [NOT_FOUND, STORE_DAMAGED, ENDED].includes(got.code ?? 0)) return [];
  if (got.code === NOT_FOUND && isAskedFor(look.damage, question.args)) return [];
  if (got.code !== STORE_DAMAGED) return breach("damage is exit 7");
  return names(look, got.stderr) ? [] : breach("what is damaged is named");
}

/** A node that somebody asks for by its hash and that is gone is not found. */
export function isAskedFor({ how, area, files }: Damage, args: readonly string[]): boolean {
  return how === "delete" && (area === "pack" || files.some((file) => args.includes(hashOf(file))));
}

function isSame({ damage, lookalike }: Look, { answer, args }: Question, got: Ran): boolean {
  if (got.code !== answer.code) return false;
  const shown = (text: string): string =>
    withoutSideFacts(args, damage, canShiftTimes({ damage, lookalike }) ? withoutTimes(text) : text);
  return shown(got.stdout) === shown(answer.stdout);
}

/** The time of a node is not hashed; of a packed one only `verify` can tell, by the checksum of its pack. */
function canShiftTimes({ damage, lookalike }: Pick<Look, "damage" | "lookalike">): boolean {
  return lookalike?.times === true || damage.area === "pack";
}

/** What `show` tells from the log, the locks and the runs is not part of the state, and is told with a warning. */
function withoutSideFacts(args: readonly string[], { area }: Damage, text: string): string {
  if (
    args[1] !== "show" ||
    !["log", "lock", "run", "hold", "family", "node", "pack"].includes(area) ||
    !text.startsWith("{")
  )
    return text;
  const {
    runs: _runs,
    lastFailure: _last,
    running: _running,
    cwd: _cwd,
    held: _held,
    notes: _notes,
    parent: _parent,
    children: _children,
    leftRun: _left,
    changed: _changed,
    ...core
  } = JSON.parse(text);
  return JSON.stringify(core);
}

function withoutTimes(text: string): string {
  return text
    .replaceAll(/"(timestamp|startedAt|since)": -?[0-9.e+]+/g, '"$1": 0')
    .replaceAll(/[+-]?\d{4,6}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?( UTC|Z)?/g, "then");
}

/** Whether the damage can change the answer, be it to an error. */
export function mayDiffer({ affected }: Look, { subject, tellsOf, args }: Question): boolean {
  if (affected.all) return true;
  if (subject !== null) return tellsOf.some((thread) => affected.threads.has(thread));
  const [group, , name] = args;
  if (group === "thread") return affected.threads.size > 0;
  return name === undefined ? affected.names.size > 0 : affected.names.has(name);
}

/** A file that still is what it has to be: nobody can know better about the threads and names that it changes. */
function isExcused({ lookalike, affected }: Look, { subject, tellsOf, args }: Question): boolean {
  if (lookalike === null || lookalike.times) return false;
  const [group, , name] = args;
  if (subject !== null) return tellsOf.some((thread) => affected.threads.has(thread));
  return group === "workflow" && (name === undefined || affected.names.has(name));
}

type Item = { readonly thread: string; readonly error?: string };

/** What is shown around a text that cannot be read, which is named in its place. */
const SHOWN_AROUND: ReadonlySet<string> = new Set(["read", "step-details", "usage"]);

/** It names a node of a pack, whose own file nobody has to name then. */
const UNREADABLE = /^\(The text of this reply, node [0-9A-Z]{13}, is (damaged|gone)\.\)$/m;

/** A list in which undamaged threads stand as before, and damaged ones are marked; a history that names what is damaged. */
function isMarked(look: Look, { args, answer }: Question, got: Ran): boolean {
  const { affected, damage, lookalike } = look;
  if (SHOWN_AROUND.has(args[1] ?? ""))
    return names(look, got.stdout + got.stderr) || (damage.area === "pack" && UNREADABLE.test(got.stdout));
  if (args[0] !== "thread" || args[1] !== "list" || answer.code !== 0) return false;
  const before = itemsOf(answer);
  const now = itemsOf(got);
  const isEdited = ({ thread }: Item): boolean => lookalike !== null && affected.threads.has(thread);
  const isTold = (item: Item): boolean => affected.threads.has(item.thread) && item.error !== undefined;
  const isThere = (item: Item): boolean => now.some(({ thread }) => thread === item.thread);
  return (
    now.every((item) => isIn(before, item) || isTold(item) || isEdited(item)) &&
    before.every((item) => isThere(item) || isEdited(item))
  );
}

function itemsOf({ stdout }: Ran): readonly Item[] {
  return JSON.parse(stdout);
}

function isIn(items: readonly Item[], wanted: Item): boolean {
  return items.some((item) => JSON.stringify(item) === JSON.stringify(wanted));
}

/** The file with its path, or the node by its hash. */
export function names({ lab, damage }: Look, stderr: string): boolean {
  // Without its pack nothing says where the nodes were that are missing now.
  if (damage.area === "pack" && damage.how === "delete") return true;
  return damage.files.some((file) => {
    const hash = hashOf(file);
    // A pack and its index do not fit each other, whichever of them it is.
    if (damage.area === "pack" && stderr.includes(join(lab.world.root, file.replace(/\.[a-z]+$/, "."))))
      return true;
    return stderr.includes(join(lab.world.root, file)) || (hash !== "" && stderr.includes(hash));
  });
}

// Nobody overwrites what is damaged: a person may still want to mend it. Excepted is what is derived or coordination
// (index, cache, locks), what is only ever appended to, and a node, which may be put again as it has to be.

/** Files that are not as they must be after commands have run on a damaged store. */
export function touched(look: Look): readonly Breach[] {
  const { lab, damage } = look;
  const found: Breach[] = [];
  for (const [name, whole] of lab.whole) {
    const isVictim = damage.after.has(name);
    const expected = isVictim ? (damage.after.get(name) ?? null) : whole;
    const now = bytesOf(lab.world.root, name);
    if (sameBytes(now, expected) || mayChange(look, name, expected, now)) continue;
    const promise = isVictim ? "nothing damaged is overwritten" : "nothing whole is lost";
    found.push({ promise, evidence: `${name} is now ${shown(now)}` });
  }
  return found;
}

function mayChange(look: Look, name: string, expected: Uint8Array | null, now: Uint8Array | null): boolean {
  const isVictim = look.damage.after.has(name);
  // A thread that a kill has ended has no files any more.
  const [, folder = ""] = /^(runs\/[^/]+)\//.exec(name) ?? [];
  if (folder !== "" && !existsSync(join(look.lab.world.root, folder))) return true;
  switch (areaOf(name)) {
    case "index":
    case "lock":
    case "other":
      return true;
    case "node":
      return isVictim && now !== null && isGood(name, now);
    case "log":
      return continues(expected, now);
    case "history":
    case "removed":
    case "spent":
    case "family":
    case "versions":
      return (
        continues(expected, now) ||
        (isVictim && look.lookalike !== null && continues(wholeLines(expected), now))
      );
    case "threads":
    case "registry":
      // Whole files are for writing; one that only looks whole cannot be told from them.
      return now !== null && (!isVictim || look.lookalike !== null || expected === null);
    case "run":
    case "hold":
    case "ending":
      return !isVictim || look.damage.area === "run";
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

function continues(before: Uint8Array | null, now: Uint8Array | null): boolean {
  if (before === null) return true;
  return now !== null && sameBytes(now.subarray(0, before.length), before);
}

/** Without a torn last line, which the next writer cuts off. */
function wholeLines(bytes: Uint8Array | null): Uint8Array | null {
  return bytes === null ? null : bytes.subarray(0, bytes.lastIndexOf(10) + 1);
}

function shown(bytes: Uint8Array | null): string {
  return bytes === null ? "gone" : JSON.stringify(Buffer.from(bytes).toString("latin1").slice(0, 300));
}
