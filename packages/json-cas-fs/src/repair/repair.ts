import { isLink } from "../files/index.js";
import { formatGuard, indexDir, restoreAsides } from "../store/index.js";
import { reindexStore, type VerifyFigures, verifyStore } from "../verify/index.js";
import { sweepTemporaryFiles } from "./abandoned.js";
import type { RepairFigures, RepairOptions } from "./types.js";

/**
 * Puts right what can be put right without knowing better than a node's own bytes: nodes that a dead gc set aside, files
 * that dead writers left, the index. Tells what stays damaged; its file is not touched.
 */
export async function repairStore(
  dir: string,
  { now, hold, tell }: RepairOptions,
): Promise<{ readonly figures: VerifyFigures; readonly repaired: RepairFigures }> {
  formatGuard(dir).check();
  const restored = await restoreAsides(dir, hold);
  const temporaryFiles =
    sweepTemporaryFiles(dir, now) + (isLink(indexDir(dir)) ? 0 : sweepTemporaryFiles(indexDir(dir), now));
  let notIndexed = 0;
  const found = verifyStore(dir, (problem) => {
    if (problem.kind === "not-indexed") notIndexed += 1;
    else tell(problem);
  });
  const isIndexWrong = notIndexed > 0 || found.staleIndexLines > 0;
  const { added, removed } = isIndexWrong ? reindexStore(dir) : { added: 0, removed: 0 };
  const figures = isIndexWrong
    ? { ...found, damaged: found.damaged - found.notIndexedOnly, notIndexedOnly: 0, staleIndexLines: 0 }
    : found;
  return {
    figures,
    repaired: { restored, temporaryFiles, indexLinesAdded: added, indexLinesRemoved: removed },
  };
}
