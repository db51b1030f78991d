import { join } from "node:path";
import { isLink, sweepDeadLocks, sweepTemporaryFiles } from "@uncaged/json-cas-fs";
import { type Fault, ok, type Result } from "@uncaged/workflow-protocol";
import { readThreadHistory } from "../archive.js";
import { attempt } from "../attempt.js";
import { removeTree } from "../files.js";
import { readHeads } from "../heads/index.js";
import { withIndexLock } from "../locks.js";
import { threadRunsPath } from "../runs/index.js";
import type { Storage } from "../storage.js";
import { threadsWithoutRuns, threadsWithRuns } from "../threads/index.js";

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
    const folders = [root, ...[paths.locks, ...runs].filter((folder) => !isLink(folder))];
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
