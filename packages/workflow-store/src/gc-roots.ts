import { join } from "node:path";
import { isHash } from "@uncaged/json-cas";
import { classifyHolder, type Root } from "@uncaged/json-cas-fs";
import { type CasRef, type Fault, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import { runMembers } from "@uncaged/workflow-util";
import { attempt } from "./attempt.js";
import { folderNames } from "./files.js";
import { readHeads } from "./heads.js";
import { readHistory } from "./history.js";
import { tellLogHashes } from "./log-hashes.js";
import { linesOf, logDays } from "./logs.js";
import { TYPE } from "./nodes.js";
import { parseRecord } from "./record.js";
import { readRegistry, readRegistryHistory } from "./registry.js";
import { doubtAbout, type FoundRun, identityOf } from "./run-dir.js";
import { readReport } from "./run-report.js";
import { findRuns, stdoutTail } from "./runs.js";
import type { Storage } from "./storage.js";
import { readThreadRecord } from "./thread-records.js";
import { readHolder, threadsWithRuns } from "./threads/index.js";

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
    const history = readHistory(storage);
    if (!history.ok) return history;
    for (const { head, workflow } of history.value.ended.values())
      for (const hash of [head, workflow]) tell({ hash, label: "history", required: true });
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
    const removed = new Set([...history.value.removed.keys()].filter((thread) => !heads.value.has(thread)));
    return attempt(() => logs(removed, tell));
  };
}

function tellEndings(storage: Storage, threads: readonly ThreadId[], tell: Tell): Result<void, Fault> {
  for (const thread of threads) {
    const ending = readThreadRecord(storage, thread, "ending");
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
function hashesOfRun(run: FoundRun): readonly CasRef[] {
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

/**
 * Says in words which file names a root that is not required; `null`: none does any more, or it need not be
 * said.
 */
export function placeOfRoot(storage: Storage, { hash, label }: Root): string | null {
  switch (label) {
    case "logs":
      return placeInLogs(storage, hash);
    case "runs":
      return placeInRuns(storage, hash);
    case "registry history":
      return placeInRegistry(storage, hash);
    default:
      return null;
  }
}

function placeInLogs(storage: Storage, hash: CasRef): string | null {
  const days = logDays(storage, null);
  if (!days.ok) return null;
  const found = attempt(() => {
    for (const { file } of days.value) {
      for (const { bytes } of linesOf(file, 0)) {
        const line = bytes?.toString("utf8") ?? "";
        if (!line.toUpperCase().includes(hash)) continue;
        const thread = parseRecord(line)?.thread;
        return `${file}${typeof thread === "string" ? `, about thread ${thread}` : ""}`;
      }
    }
    return null;
  });
  return found.ok ? found.value : null;
}

function placeInRuns(storage: Storage, hash: CasRef): string | null {
  const threads = threadsWithRuns(storage);
  for (const thread of threads.ok ? threads.value : []) {
    const runs = findRuns(storage, thread);
    const run = runs.ok ? runs.value.find((each) => hashesOfRun(each).includes(hash)) : undefined;
    if (run !== undefined) return `a run of ${run.record.role} in thread ${thread}`;
  }
  return null;
}

function placeInRegistry(storage: Storage, hash: CasRef): string | null {
  const changes = readRegistryHistory(storage);
  const change = changes.ok
    ? changes.value.find((each) => [each.hash, each.previous, each.source].includes(hash))
    : undefined;
  return change === undefined ? null : `an earlier version of workflow ${change.name}`;
}
