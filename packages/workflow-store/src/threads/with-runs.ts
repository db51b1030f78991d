import type { Fault, Result, ThreadId } from "@uncaged/workflow-protocol";
import { attempt } from "../attempt/index.js";
import { folderNames } from "../files/index.js";
import { isThreadId } from "../ids/index.js";
import { threadRunsPath } from "../runs/index.js";
import type { Storage } from "../storage/index.js";

/**
 * Threads of which more than what is known of them stands in `runs/`: a run under way, one that was left, or an archive that is
 * not complete; by id.
 */
export function threadsWithRuns(storage: Storage): Result<readonly ThreadId[], Fault> {
  return attempt(() =>
    folderNames(storage.paths.runs)
      .filter(isThreadId)
      .filter((thread) => hasMore(storage, thread)),
  );
}

/** Threads of which nothing else stands there, or nothing at all; by id. */
export function threadsWithoutRuns(storage: Storage): Result<readonly ThreadId[], Fault> {
  return attempt(() =>
    folderNames(storage.paths.runs)
      .filter(isThreadId)
      .filter((thread) => folderNames(threadRunsPath(storage, thread)).every(isKept)),
  );
}

/** One that cannot be listed is not passed over: whoever looks into it says why. */
function hasMore(storage: Storage, thread: ThreadId): boolean {
  const names = attempt(() => folderNames(threadRunsPath(storage, thread)));
  return !names.ok || names.value.length === 0 || names.value.some((name) => !isKept(name));
}

/** A file that stands as long as the thread does: no run, and nothing that a crash has left. */
function isKept(name: string): boolean {
  return /^[a-z]+\.json$/.test(name);
}
