import { type CasRef, type Fault, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import { attempt } from "../attempt/index.js";
import { removeTree } from "../files/index.js";
import { withIndexLock } from "../locks/index.js";
import { threadRunsPath } from "../runs/index.js";
import type { Storage } from "../storage/index.js";
import { updateHead } from "./heads-file.js";

/**
 * Takes back a thread that was only just added and of which nobody has been told: its line and its folder go if it still
 * has that head. Takes the index lock.
 */
export function withdrawThread(
  storage: Storage,
  thread: ThreadId,
  head: CasRef,
): Promise<Result<void, Fault>> {
  return withIndexLock(storage, async () => {
    let isTaken = false;
    const taken = await updateHead(storage, thread, (found) => {
      isTaken = found === head;
      return ok(isTaken ? null : found);
    });
    return taken.ok && isTaken ? attempt(() => removeTree(threadRunsPath(storage, thread))) : taken;
  });
}
