import {
  type EndingRecord,
  err,
  type Fault,
  fault,
  type HistoryLine,
  ok,
  type Result,
} from "@uncaged/workflow-protocol";
import { readHistoryOf } from "../history/index.js";
import type { Storage } from "../storage/index.js";
import { createEnding, readEnding } from "./ending-file.js";
import { readHead } from "./heads-file.js";

/**
 * Step 1 of an archive: the durable decision, or the one that was made before. A head that is not the expected one is
 * refused: a step that somebody else recorded meanwhile is not archived away. The caller holds the index lock.
 */
export async function decideEnd(
  storage: Storage,
  { thread, head, reason, completedAt }: HistoryLine,
): Promise<Result<EndingRecord, Fault>> {
  const earlier = earlierDecision(storage, thread);
  if (!earlier.ok) return earlier;
  if (earlier.value !== null) return ok(earlier.value);
  const at = await readHead(storage, thread);
  if (!at.ok) return at;
  const found = at.value;
  if (found === null) return err(fault("THREAD_NOT_FOUND", { thread }));
  if (found !== head) return err(fault("HEAD_MOVED", { thread, expected: head, found }));
  return createEnding(storage, thread, { head, reason, completedAt });
}

/** What history says, else what `ending` says. */
export function earlierDecision(
  storage: Storage,
  thread: HistoryLine["thread"],
): Result<EndingRecord | null, Fault> {
  const ended = readHistoryOf(storage, thread);
  return ended.ok && ended.value === null ? readEnding(storage, thread) : ended;
}
