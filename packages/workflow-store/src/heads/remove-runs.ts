import { join } from "node:path";
import { isLink } from "@uncaged/json-cas-fs";
import { type Fault, type HistoryLine, ok, type Result } from "@uncaged/workflow-protocol";
import { attempt } from "../attempt/index.js";
import { folderNames, removeTree } from "../files/index.js";
import { removeRun, runDirOf, threadRunsPath } from "../runs/index.js";
import type { Storage } from "../storage/index.js";
import { endingPath } from "./ending-file.js";

/** Step 4 of an archive, under the thread's lock: `ending` goes last, so that a crash in between is completed by the next who looks. */
export function removeThreadRuns(storage: Storage, line: HistoryLine): Result<HistoryLine, Fault> {
  const folder = threadRunsPath(storage, line.thread);
  const ending = endingPath(storage, line.thread);
  // Behind a link stands what is not ours to remove.
  const isOurs = attempt(() => !isLink(folder));
  if (!isOurs.ok) return isOurs;
  const emptied = isOurs.value ? removeAllBut(storage, line, ending) : ok(undefined);
  if (!emptied.ok) return emptied;
  return attempt(() => {
    if (isOurs.value) removeTree(ending);
    removeTree(folder);
    return line;
  });
}

/** Each run goes at once: for who looks without the lock, half of one would be damage. */
function removeAllBut(storage: Storage, { thread }: HistoryLine, ending: string): Result<void, Fault> {
  const folder = threadRunsPath(storage, thread);
  const names = attempt(() => folderNames(folder));
  if (!names.ok) return names;
  for (const name of names.value) {
    const path = join(folder, name);
    const run = runDirOf(storage, thread, name);
    const removed = run !== null ? removeRun(run) : attempt(() => path !== ending && removeTree(path));
    if (!removed.ok) return removed;
  }
  return ok(undefined);
}
