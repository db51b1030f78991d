import {
  type CasRef,
  type Fault,
  type HistoryLine,
  ok,
  type Result,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { workflowOfHead } from "../chain/index.js";
import { readEnding } from "../heads/index.js";
import type { Storage } from "../storage/index.js";
import type { EndedThread, ThreadState } from "./types.js";

/** What the two places say of a thread. */
export type Known = { readonly line: HistoryLine | null; readonly head: CasRef | null };

/** One thread's state: history wins over `ending`, and that over threads.yaml. `null` when nobody knows it. */
export function stateOf(
  storage: Storage,
  thread: ThreadId,
  { line, head }: Known,
): Result<ThreadState | null, Fault> {
  if (line !== null) return ok(endedBy(line));
  if (head === null) return ok(null);
  const ending = endingState(storage, thread);
  if (!ending.ok) return ending;
  return ok(ending.value ?? { kind: "active", thread, head });
}

/** A thread whose archive is recorded. */
export function endedBy(line: HistoryLine): EndedThread {
  return { kind: "ended", ...line, pending: false };
}

/** A thread whose archive is not complete yet. */
function endingState(storage: Storage, thread: ThreadId): Result<EndedThread | null, Fault> {
  const ending = readEnding(storage, thread);
  if (!ending.ok || ending.value === null) return ending.ok ? ok(null) : ending;
  const workflow = workflowOfHead(storage.cas, ending.value.head);
  if (!workflow.ok) return workflow;
  return ok({ kind: "ended", thread, workflow: workflow.value, ...ending.value, pending: true });
}
