import { join } from "node:path";
import { isLink, sweepDeadLocks, sweepTemporaryFiles } from "@uncaged/json-cas-fs";
import {
  type CasRef,
  err,
  type Fault,
  fault,
  type HistoryLine,
  ok,
  type RemovedThread,
  type Result,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { attempt } from "../attempt.js";
import { removeTree } from "../files.js";
import { readHeads } from "../heads.js";
import { appendRemoved, type History, readHistory, readThreadHistory } from "../history.js";
import { INDEX_WAIT_MS, withIndexLock } from "../locks.js";
import { threadRunsPath } from "../run-dir.js";
import type { Storage } from "../storage.js";
import { readThreadRecord } from "../thread-records.js";
import { descendantsOf, type Family, readFamily } from "./children.js";
import { claimThread, releaseClaim, threadsWithoutRuns, threadsWithRuns } from "./claim.js";

// A tree goes as a whole: its usage, its export and the picture of it have no holes. So the threads below a named one go
// with it, and a thread whose parent is there stays.
//
// All checks come first, under the index lock; then one write. In it newer threads come first, and so children before
// parents: if a crash cuts it, the same command finds the rest.

/**
 * Removes ended threads with everything below them, or none: `NOT_REMOVABLE` if one of them is active, or its parent is
 * there. Gives those that were there, oldest first. Takes the locks of threads whose archive is incomplete, then the
 * index lock.
 */
export async function removeThreads(
  storage: Storage,
  named: readonly ThreadId[],
): Promise<Result<readonly RemovedThread[], Fault>> {
  const family = readFamily(storage);
  if (!family.ok) return family;
  for (const thread of treesOf(family.value, named)) {
    const archived = await completeArchive(storage, thread);
    if (!archived.ok) return archived;
  }
  return withIndexLock(storage, async () => {
    const there = await look(storage);
    if (!there.ok) return there;
    const lines: HistoryLine[] = [];
    const going = treesOf(there.value.family, named);
    for (const thread of going) {
      const line = removable(there.value, thread, { going, isNamed: named.includes(thread) });
      if (!line.ok) return line;
      if (line.value !== null) lines.push(line.value);
    }
    const at = storage.now();
    const appended = appendRemoved(storage, lines, at);
    return appended.ok ? ok(lines.map(({ thread, head }) => ({ thread, head, at })).reverse()) : appended;
  });
}

/** Threads and those below them, newest first. */
function treesOf(family: Family, threads: readonly ThreadId[]): readonly ThreadId[] {
  const all = threads.flatMap((thread) => [thread, ...descendantsOf(family, thread)]);
  return [...new Set(all)].sort().reverse();
}

/** What a crash has left of an archive would bring a removed thread back: its `ending` is a gc root. */
async function completeArchive(storage: Storage, thread: ThreadId): Promise<Result<void, Fault>> {
  const ending = readThreadRecord(storage, thread, "ending");
  if (!ending.ok || ending.value === null) return ending.ok ? ok(undefined) : ending;
  const claim = await claimThread(storage, thread, { waitMs: INDEX_WAIT_MS });
  if (claim.ok) return releaseClaim(claim.value);
  return claim.error.code === "THREAD_ENDED" ? ok(undefined) : claim;
}

type There = {
  readonly heads: ReadonlyMap<string, CasRef>;
  readonly history: History;
  readonly family: Family;
};

async function look(storage: Storage): Promise<Result<There, Fault>> {
  const heads = await readHeads(storage);
  if (!heads.ok) return heads;
  const history = readHistory(storage);
  if (!history.ok) return history;
  const family = readFamily(storage);
  return family.ok ? ok({ heads: heads.value, history: history.value, family: family.value }) : family;
}

type RemovalContext = { readonly going: readonly ThreadId[]; readonly isNamed: boolean };

/** `null`: it is not there, because it was removed before, or because its start was cut short. */
function removable(
  { heads, history, family }: There,
  thread: ThreadId,
  { going, isNamed }: RemovalContext,
): Result<HistoryLine | null, Fault> {
  if (heads.has(thread)) return err(fault("NOT_REMOVABLE", { thread, parent: null }));
  const line = history.ended.get(thread);
  if (line === undefined) {
    return isNamed && !history.removed.has(thread) ? err(fault("THREAD_NOT_FOUND", { thread })) : ok(null);
  }
  const parent = family.parentOf(thread)?.parent ?? null;
  const stays =
    parent !== null && !going.includes(parent) && (heads.has(parent) || history.ended.has(parent));
  return stays ? err(fault("NOT_REMOVABLE", { thread, parent })) : ok(line);
}

/**
 * Removes what dead processes left beside the store: temporary files of locks, mutable files and endings; dead
 * locks, including those of dead breakers; folders of threads that were never added. Nothing behind a link inside
 * the root. Returns how many. Takes the index lock.
 */
export async function sweepRootLitter(storage: Storage): Promise<Result<number, Fault>> {
  const files = sweepFiles(storage);
  if (!files.ok) return files;
  const folders = await withIndexLock(storage, () => sweepUnknown(storage));
  return folders.ok ? ok(files.value + folders.value) : folders;
}

function sweepFiles(storage: Storage): Result<number, Fault> {
  const threads = threadsWithRuns(storage);
  if (!threads.ok) return threads;
  const { root, paths } = storage;
  return attempt(() => {
    const runs = isLink(paths.runs) ? [] : threads.value.map((thread) => join(paths.runs, thread));
    const caches = join(paths.cache, "history");
    const folders = [
      root,
      ...[paths.locks, ...(isLink(paths.cache) ? [] : [caches]), ...runs].filter((folder) => !isLink(folder)),
    ];
    const files = folders.reduce((sum, folder) => sum + sweepTemporaryFiles(folder, storage.now()), 0);
    return isLink(paths.locks) ? files : files + sweepDeadLocks(paths.locks);
  });
}

/** The caller holds the index lock, so no start is between writing a thread's folder and writing its head. */
async function sweepUnknown(storage: Storage): Promise<Result<number, Fault>> {
  const threads = threadsWithoutRuns(storage);
  if (!threads.ok) return threads;
  const heads = await readHeads(storage);
  if (!heads.ok) return heads;
  let swept = 0;
  for (const thread of threads.value) {
    if (heads.value.has(thread)) continue;
    const ended = readThreadHistory(storage, thread);
    if (!ended.ok) return ended;
    // An ended thread's runs are removed with its archive.
    if (ended.value !== null) continue;
    const removed = attempt(() => removeFolder(storage, threadRunsPath(storage, thread)));
    if (!removed.ok) return removed;
    swept += removed.value;
  }
  return ok(swept);
}

function removeFolder({ paths }: Storage, folder: string): number {
  if (isLink(paths.runs) || isLink(folder)) return 0;
  removeTree(folder);
  return 1;
}
