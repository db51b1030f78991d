import {
  type EndingRecord,
  err,
  type Fault,
  fault,
  type HistoryReason,
  ok,
  type Result,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { workflowOfHead } from "../chain/index.js";
import { readHistoryOf } from "../history/index.js";
import { withIndexLock } from "../locks/index.js";
import type { Storage } from "../storage/index.js";
import { createEnding, readEnding } from "./ending-file.js";
import { readHead } from "./heads-file.js";

/**
 * Decides that the thread ends at the head of this moment. Needs no thread lock, so that a kill can decide while a
 * step runs; under the index lock, so that a head moves either before the decision or not at all. An earlier decision
 * stands. A head whose workflow cannot be read is refused before anything is written: such an end could not be archived.
 */
export function writeEnding(
  storage: Storage,
  thread: ThreadId,
  { reason }: { readonly reason: HistoryReason },
): Promise<Result<EndingRecord, Fault>> {
  return withIndexLock(storage, async () => {
    const ended = readHistoryOf(storage, thread);
    if (!ended.ok) return ended;
    if (ended.value !== null) return err(fault("THREAD_ENDED", { thread, reason: ended.value.reason }));
    const earlier = readEnding(storage, thread);
    if (!earlier.ok) return earlier;
    return earlier.value === null ? decide(storage, thread, reason) : ok(earlier.value);
  });
}

async function decide(
  storage: Storage,
  thread: ThreadId,
  reason: HistoryReason,
): Promise<Result<EndingRecord, Fault>> {
  const at = await readHead(storage, thread);
  if (!at.ok) return at;
  const head = at.value;
  if (head === null) return err(fault("THREAD_NOT_FOUND", { thread }));
  const workflow = workflowOfHead(storage.cas, head);
  if (!workflow.ok) return workflow;
  return createEnding(storage, thread, { head, reason, completedAt: storage.now() });
}
