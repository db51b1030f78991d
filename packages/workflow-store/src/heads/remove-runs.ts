import { join } from "node:path";
import { isLink } from "@uncaged/json-cas-fs";
import type { Fault, HistoryLine, Result } from "@uncaged/workflow-protocol";
import { attempt } from "../attempt/index.js";
import { folderNames, removeTree } from "../files/index.js";
import { threadRunsPath } from "../runs/index.js";
import type { Storage } from "../storage/index.js";
import { endingPath } from "./ending-file.js";

/** Step 4 of an archive, under the thread's lock: `ending` goes last, so that a crash in between is completed by the next who looks. */
export function removeThreadRuns(storage: Storage, line: HistoryLine): Result<HistoryLine, Fault> {
  return attempt(() => {
    const folder = threadRunsPath(storage, line.thread);
    const ending = endingPath(storage, line.thread);
    // Behind a link stands what is not ours to remove.
    for (const name of isLink(folder) ? [] : folderNames(folder)) {
      if (join(folder, name) !== ending) removeTree(join(folder, name));
    }
    if (!isLink(folder)) removeTree(ending);
    removeTree(folder);
    return line;
  });
}
