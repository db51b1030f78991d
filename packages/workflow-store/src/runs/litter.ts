import { join } from "node:path";
import { folderNames, removeTree } from "../files/index.js";

// A run appears and disappears whole, by rename. What a crash leaves half made or half removed starts with a dot:
// no reader looks at it, and the next change of this thread's runs, under the thread's lock, sweeps it.

export const MAKING = ".new-";
export const GONE = ".gone-";

/** Throws `IO_FAILED`. */
export function sweepLitter(threadRuns: string): void {
  for (const name of folderNames(threadRuns)) {
    if (name.startsWith(MAKING) || name.startsWith(GONE)) removeTree(join(threadRuns, name));
  }
}
