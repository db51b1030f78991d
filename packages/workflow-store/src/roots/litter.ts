import { join } from "node:path";
import { isLink, sweepDeadLocks, sweepTemporaryFiles } from "@uncaged/json-cas-fs";
import type { Fault, Result } from "@uncaged/workflow-protocol";
import { attempt } from "../attempt/index.js";
import type { Storage } from "../storage/index.js";
import { threadsWithRuns } from "../threads/index.js";

/**
 * Removes what dead processes left beside the store: temporary files of locks, of the mutable files, of endings; locks,
 * and locks of those who died while they broke one. Nothing behind a link inside of the root. Gives how many files.
 */
export function sweepRootLitter(storage: Storage): Result<number, Fault> {
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
