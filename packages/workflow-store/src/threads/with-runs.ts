import type { Fault, Result, ThreadId } from "@uncaged/workflow-protocol";
import { attempt } from "../attempt/index.js";
import { folderNames } from "../files/index.js";
import { isThreadId } from "../ids/index.js";
import type { Storage } from "../storage/index.js";

/** Threads with something in `runs/`: a run under way, one that was left, or an archive that is not complete; by id. */
export function threadsWithRuns(storage: Storage): Result<readonly ThreadId[], Fault> {
  return attempt(() => folderNames(storage.paths.runs).filter(isThreadId));
}
