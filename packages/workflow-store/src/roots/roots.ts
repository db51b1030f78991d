import { join } from "node:path";
import { isHash } from "@uncaged/json-cas";
import { classifyHolder, type Root } from "@uncaged/json-cas-fs";
import { type CasRef, type Fault, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import { runMembers } from "@uncaged/workflow-util";
import { type HistoryIndex, indexHistory } from "../archive.js";
import { attempt } from "../attempt.js";
import { folderNames } from "../files.js";
import { readEnding, readHeads } from "../heads/index.js";
import { TYPE } from "../nodes/index.js";
import { readRegistry, readRegistryHistory } from "../registry.js";
import { doubtAbout, type FoundRun, findRuns, identityOf, readReport, stdoutTail } from "../runs/index.js";
import type { Storage } from "../storage.js";
import { readHolder, threadsWithRuns } from "../threads/index.js";
import { tellLogHashes } from "./log-hashes.js";

/**
 * When the oldest run began that may still be active, epoch ms; `null` if there is none. No root names yet what
 * its agent has stored. A dead run has printed everything it ever will.
 */
export function oldestLiveRun(storage: Storage): Result<number | null, Fault> {
  const threads = threadsWithRuns(storage);
  if (!threads.ok) return threads;
  let oldest: number | null = null;
  for (const thread of threads.value) {
    const runs = findRuns(storage, thread);
    if (!runs.ok) return runs;
    const held = attempt(() => isHeld(storage, thread));
    if (!held.ok) return held;
    for (const run of runs.value) {
      if (held.value || isAlive(run)) oldest = Math.min(oldest ?? run.record.startedAt, run.record.startedAt);
    }
  }
  return ok(oldest);
}

/** By a uwf that lives, or that cannot be judged from here. */
function isHeld(storage: Storage, thread: ThreadId): boolean {
  const holder = readHolder(storage, thread);
  return holder !== null && classifyHolder(holder) !== "dead";
}

function isAlive(run: FoundRun): boolean {
  return doubtAbout(run) !== null || runMembers(identityOf(run)).length > 0;
}

type Tell = (root: Root) => void;

/**
 * Reports every gc root; of the logs, which only grow, what is new since the last call. A fault means that none of
 * them may be relied on.
 */
type RootReader = (tell: Tell) => Promise<Result<void, Fault>>;

// The order does not matter to a holder of the index lock. Without it a head may move, or a thread end, between two of
// these: such a reader has to ask again under it.

/** The reader of one gc: it remembers how far it has read the logs. */
export function createRootReader(storage: Storage): RootReader {
  const logs = logReader(storage);
  return async (tell) => {
    const heads = await readHeads(storage);
    if (!heads.ok) return heads;
    for (const hash of heads.value.values()) tell({ hash, label: "heads", required: true });
    const history = indexHistory(storage, "");
    if (!history.ok) return history;
    tellHistory(history.value, tell);
    const registry = await readRegistry(storage);
    if (!registry.ok) return registry;
    for (const hash of Object.values(registry.value)) tell({ hash, label: "registry", required: true });
    const threads = threadsWithRuns(storage);
    if (!threads.ok) return threads;
    const endings = tellEndings(storage, threads.value, tell);
    if (!endings.ok) return endings;
    // From here on none is required. Every writer relies on the types staying once they exist.
    for (const hash of Object.values(TYPE)) tell({ hash, label: "types", required: false });
    const changes = readRegistryHistory(storage);
    if (!changes.ok) return changes;
    for (const { hash, previous, source } of changes.value)
      for (const version of [hash, previous, source])
        if (version !== null) tell({ hash: version, label: "registry history", required: false });
    const runs = tellRuns(storage, threads.value, tell);
    if (!runs.ok) return runs;
    const removed = new Set(history.value.removedIds().filter((thread) => !heads.value.has(thread)));
    return attempt(() => logs(removed, tell));
  };
}

function tellHistory(history: HistoryIndex, tell: Tell): void {
  for (const thread of history.ids()) {
    const line = history.line(thread);
    if (line === null) continue;
    tell({ hash: line.head, label: "history", required: true });
    tell({ hash: line.workflow, label: "history", required: true });
  }
}

function tellEndings(storage: Storage, threads: readonly ThreadId[], tell: Tell): Result<void, Fault> {
  for (const thread of threads) {
    const ending = readEnding(storage, thread);
    if (!ending.ok) return ending;
    if (ending.value !== null) tell({ hash: ending.value.head, label: "endings", required: true });
  }
  return ok(undefined);
}

function tellRuns(storage: Storage, threads: readonly ThreadId[], tell: Tell): Result<void, Fault> {
  for (const thread of threads) {
    const runs = findRuns(storage, thread);
    if (!runs.ok) return runs;
    const registered = attempt(() => {
      for (const run of runs.value)
        for (const hash of hashesOfRun(run)) tell({ hash, label: "runs", required: false });
    });
    if (!registered.ok) return registered;
  }
  return ok(undefined);
}

/** A run's head, what it has printed and may be adopted for, and the reply it could not use. Throws `IO_FAILED`. */
export function hashesOfRun(run: FoundRun): readonly CasRef[] {
  const raw = readReport(run)?.raw ?? null;
  return [run.record.head, ...hashesIn(stdoutTail(run) ?? ""), ...(raw === null ? [] : [raw])];
}

/** In lower case too, as a result is read. */
function hashesIn(text: string): readonly CasRef[] {
  return text
    .toUpperCase()
    .split(/[^0-9A-Z]+/)
    .filter(isHash);
}

/** Lines of the log about a removed thread keep no nodes: removing a thread gives up its failed runs too. */
function logReader(storage: Storage): (removed: ReadonlySet<ThreadId>, tell: Tell) => void {
  const known = new Set<CasRef>();
  const offsets = new Map<string, number>();
  return (removed, tell) => {
    const tellOnce = (hash: CasRef): void => {
      if (known.has(hash)) return;
      known.add(hash);
      tell({ hash, label: "logs", required: false });
    };
    for (const name of folderNames(storage.paths.logs)) {
      const file = join(storage.paths.logs, name);
      offsets.set(file, tellLogHashes(file, offsets.get(file) ?? 0, { removed, tell: tellOnce }));
    }
  };
}
