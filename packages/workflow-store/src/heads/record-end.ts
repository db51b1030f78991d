import {
  type CasRef,
  type EndingRecord,
  type Fault,
  type HistoryLine,
  ok,
  type Result,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { workflowOfHead } from "../chain/index.js";
import { appendHistory, readHistoryOf } from "../history/index.js";
import type { Storage } from "../storage/index.js";
import { updateHead } from "./heads-file.js";

/** Step 2 of an archive, under the index lock: the thread's line, appended unless it is there. `workflow` saves reading it from the chain. */
export function ensureHistoryLine(
  storage: Storage,
  thread: ThreadId,
  { head, reason, completedAt }: EndingRecord,
  known: CasRef | null,
): Result<HistoryLine, Fault> {
  const there = readHistoryOf(storage, thread);
  if (!there.ok) return there;
  if (there.value !== null) return ok(there.value);
  const workflow = known === null ? workflowOfHead(storage.cas, head) : ok(known);
  if (!workflow.ok) return workflow;
  const line = { thread, workflow: workflow.value, head, completedAt, reason };
  const appended = appendHistory(storage, line);
  return appended.ok ? ok(line) : appended;
}

/** Step 3 of an archive, under the index lock: the thread leaves the list of the active ones. */
export async function dropHead(storage: Storage, line: HistoryLine): Promise<Result<HistoryLine, Fault>> {
  const dropped = await updateHead(storage, line.thread, () => ok(null));
  return dropped.ok ? ok(line) : dropped;
}
