import { join } from "node:path";
import { sweepTemporaryFiles } from "@uncaged/json-cas-fs";
import type { Fault, Result } from "@uncaged/workflow-protocol";
import { attempt } from "../attempt/index.js";
import type { Storage } from "../storage/index.js";
import { threadsWithRuns } from "../threads/index.js";

/** Removes the temporary files that dead processes left beside the store: of locks, of the mutable files, of endings. */
export function sweepRootLitter(storage: Storage): Result<number, Fault> {
  const threads = threadsWithRuns(storage);
  if (!threads.ok) return threads;
  const { root, paths } = storage;
  const folders = [root, paths.locks, ...threads.value.map((thread) => join(paths.runs, thread))];
  return attempt(() => folders.reduce((sum, folder) => sum + sweepTemporaryFiles(folder, storage.now()), 0));
}
