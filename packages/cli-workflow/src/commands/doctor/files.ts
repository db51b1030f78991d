import { existsSync } from "node:fs";
import { join } from "node:path";
import { type CasRef, type Fault, messageOf, type Result, shellWord } from "@uncaged/workflow-protocol";
import {
  attempt,
  type ListedThread,
  listThreads,
  readHistory,
  readRegistry,
  type Storage,
} from "@uncaged/workflow-store";
import { bounded, type Found, failing, faulty, fine, warning } from "./findings.js";

/** Heads are looked for one by one; whole histories are the business of `uwf cas verify`. */
const MAX_HEADS = 1000;

/** The files that uwf keeps: each is there and readable, and points to nodes that exist. */
export async function checkFiles(storage: Storage): Promise<readonly Found[]> {
  return [...(await threads(storage)), history(storage), ...(await registry(storage)), ...leftovers(storage)];
}

/** Guesses at the next agent, and compiled code: earlier versions believed what stood there, this one reads neither. */
const LEFTOVERS = ["forecast.json", "cache/code"];

function leftovers({ root }: Storage): readonly Found[] {
  return LEFTOVERS.filter((name) => existsSync(join(root, name))).map((name) => {
    const path = join(root, name);
    const sentence = `${path} is of an earlier uwf and is not read any more`;
    return warning(name, sentence, `remove it: \`rm -r ${shellWord(path)}\``);
  });
}

async function threads(storage: Storage): Promise<readonly Found[]> {
  const active = await listThreads(storage, { all: false });
  // The list reads the history too, which has a finding of its own.
  if (!active.ok)
    return isAbout(active.error, storage.paths.history) ? [] : [faulty("threads.yaml", active.error)];
  const lost = active.value
    .slice(0, MAX_HEADS)
    .flatMap(({ thread, head }) =>
      missing(storage, head, "threads.yaml", `the head of thread ${thread}, ${head}`),
    );
  const fineOne = fine("threads.yaml", `${counted(active.value.length, "active thread")}`);
  return [...bounded([fineOne, ...lost]), ...bounded(active.value.flatMap(stuckOne))];
}

/** No step takes it further; its own work is not lost. */
function stuckOne(state: ListedThread): readonly Found[] {
  if (state.kind !== "active" || state.stuck === null) return [];
  const { message, hint } = state.stuck;
  const fix = `${hint}; then end this one: \`uwf thread kill ${state.thread}\``;
  return [warning("threads.yaml", `thread ${state.thread} is stuck: ${message}`, fix)];
}

function history(storage: Storage): Found {
  const ended = readHistory(storage);
  if (!ended.ok) return faulty("history.jsonl", ended.error);
  return fine("history.jsonl", counted(ended.value.size, "ended thread"));
}

async function registry(storage: Storage): Promise<readonly Found[]> {
  const names = await readRegistry(storage);
  if (!names.ok) return [faulty("registry.yaml", names.error)];
  const entries = Object.entries(names.value);
  const lost = entries.flatMap(([name, hash]) =>
    missing(storage, hash, "registry.yaml", `the workflow ${name}, ${hash}`),
  );
  return bounded([fine("registry.yaml", counted(entries.length, "registered workflow")), ...lost]);
}

function missing(storage: Storage, hash: CasRef, check: string, what: string): readonly Found[] {
  const there: Result<boolean, Fault> = attempt(() => storage.cas.has(hash));
  if (there.ok && there.value) return [];
  const reason = there.ok ? "is not in the store" : `cannot be looked for: ${messageOf(there.error)}`;
  const fix = "restore the nodes from a backup or an export; `uwf cas verify` names what is missing";
  return [failing(check, `${what}, ${reason}`, fix, 7)];
}

function isAbout(failure: Fault, file: string): boolean {
  return "file" in failure && failure.file === file;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
