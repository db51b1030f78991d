import {
  type CasRef,
  type EndingRecord,
  type Fault,
  type HistoryLine,
  ok,
  type Result,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { forgetHistory } from "../cache/index.js";
import { withIndexLock } from "../locks/index.js";
import type { Storage } from "../storage/index.js";
import { decideEnd } from "./decide-end.js";
import { readEnding } from "./ending-file.js";
import { stillHeld, type ThreadLock } from "./fence.js";
import { logLeftRuns } from "./log-left-runs.js";
import { dropHead, ensureHistoryLine } from "./record-end.js";
import { removeThreadRuns } from "./remove-runs.js";

// The order of an archive, and why a crash after any of its four steps is harmless. What is left of runs is told to the
// log before 2: from there on the thread may never be looked at again.
//   1 ending         from here on the thread counts as ended for everybody, and whoever takes its lock goes on below
//   2 history line   before 3: at every moment the thread is found in one place at least; where both have it, history wins
//   3 threads.yaml   only now
//   4 runs/<thread>  with `ending` as its last file: as long as something is left to do, it says so. The thread's cache
//                    goes just before, so that it goes whoever completes the archive
// Every step looks first whether it has been done, so the whole can be repeated from the top.

/**
 * Ends a thread whose lock the caller holds. Gives the line that stands in the history afterwards: when a kill decided
 * first, that is the kill's. With its `claim` only while that is ours (`CLAIM_LOST`). Takes the index lock.
 */
export function archiveThread(
  storage: Storage,
  archive: HistoryLine,
  claim?: ThreadLock,
): Promise<Result<HistoryLine, Fault>> {
  return carryOut(storage, archive, archive.workflow, async () => {
    const held = claim === undefined ? ok(undefined) : stillHeld(claim);
    return held.ok ? decideEnd(storage, archive) : held;
  });
}

/**
 * Finishes the archive of a thread that has an `ending`; the caller holds the thread's lock. `null` when there is
 * nothing to finish. Takes the index lock.
 */
export async function completeEnding(
  storage: Storage,
  thread: ThreadId,
): Promise<Result<HistoryLine | null, Fault>> {
  const ending = readEnding(storage, thread);
  if (!ending.ok) return ending;
  const decided = ending.value;
  if (decided === null) return ok(null);
  return carryOut(storage, { thread, head: decided.head }, null, async () => ok(decided));
}

/** All four steps; `workflow` saves reading it from the chain. */
async function carryOut(
  storage: Storage,
  at: Pick<HistoryLine, "thread" | "head">,
  workflow: CasRef | null,
  decide: () => Promise<Result<EndingRecord, Fault>>,
): Promise<Result<HistoryLine, Fault>> {
  logLeftRuns(storage, at.thread, at);
  const recorded = await withIndexLock(storage, async () => {
    const ending = await decide();
    if (!ending.ok) return ending;
    const line = ensureHistoryLine(storage, at.thread, ending.value, workflow);
    return line.ok ? dropHead(storage, line.value) : line;
  });
  if (!recorded.ok) return recorded;
  forgetHistory(storage, at.thread);
  return removeThreadRuns(storage, recorded.value);
}
