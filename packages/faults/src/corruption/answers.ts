import { join } from "node:path";
import type { Breach } from "../invariants/index.js";
import type { Ran } from "../world/index.js";
import { type Affected, hashOf } from "./affected.js";
import type { Lookalike } from "./lookalike.js";
import type { Damage, Lab, Question } from "./types.js";

// Every answer is the one of the undamaged store, or an error that names what is damaged. `thread list` marks a
// damaged thread instead. An answer that is wrong and looks right is what this is all about.

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
export function isAskedFor({ how, files }: Damage, args: readonly string[]): boolean {
  return how === "delete" && files.some((file) => args.includes(hashOf(file)));
}

function isSame({ damage, lookalike }: Look, { answer, args }: Question, got: Ran): boolean {
  if (got.code !== answer.code) return false;
  const shown = (text: string): string =>
    withoutNotes(args, damage, lookalike?.times === true ? withoutTimes(text) : text);
  return shown(got.stdout) === shown(answer.stdout);
}

/** What `show` tells from the log, the locks and the runs is not part of the state, and is told with a warning. */
function withoutNotes(args: readonly string[], { area }: Damage, text: string): string {
  if (args[1] !== "show" || !["log", "lock", "run", "node"].includes(area) || !text.startsWith("{"))
    return text;
  const { runs: _runs, lastFailure: _last, running: _running, cwd: _cwd, ...core } = JSON.parse(text);
  return JSON.stringify(core);
}

function withoutTimes(text: string): string {
  return text
    .replaceAll(/"(timestamp|startedAt|since)": -?[0-9.e+]+/g, '"$1": 0')
    .replaceAll(/[+-]?\d{4,6}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?( UTC|Z)?/g, "then");
}

/** Whether the damage can change the answer, be it to an error. */
export function mayDiffer({ affected }: Look, { subject, args }: Question): boolean {
  if (affected.all) return true;
  if (subject !== null) return affected.threads.has(subject.thread);
  const [group, , name] = args;
  if (group === "thread") return affected.threads.size > 0;
  return name === undefined ? affected.names.size > 0 : affected.names.has(name);
}

/** A file that still is what it has to be: nobody can know better about the threads and names that it changes. */
function isExcused({ lookalike, affected }: Look, { subject, args }: Question): boolean {
  if (lookalike === null || lookalike.times) return false;
  const [group, , name] = args;
  if (subject !== null) return affected.threads.has(subject.thread);
  return group === "workflow" && (name === undefined || affected.names.has(name));
}

type Item = { readonly thread: string; readonly error?: string };

/** What is shown around a text that cannot be read, which is named in its place. */
const SHOWN_AROUND: ReadonlySet<string> = new Set(["read", "step-details"]);

/** A list in which undamaged threads stand as before, and damaged ones are marked; a history that names what is damaged. */
function isMarked(look: Look, { args, answer }: Question, got: Ran): boolean {
  const { affected, lookalike } = look;
  if (SHOWN_AROUND.has(args[1] ?? "")) return names(look, got.stdout + got.stderr);
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
  return damage.files.some((file) => {
    const hash = hashOf(file);
    return stderr.includes(join(lab.world.root, file)) || (hash !== "" && stderr.includes(hash));
  });
}
