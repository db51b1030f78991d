import { type Fault, type HistoryLine, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import { workflowOfHead } from "../chain/index.js";
import type { FlatMap } from "../flat/index.js";
import { readEnding, readHeads } from "../heads/index.js";
import { type History, readHistory } from "../history/index.js";
import type { Storage } from "../storage/index.js";
import type { EndedThread, ThreadState } from "./types.js";

/** The two places that know threads. */
export type Tables = { readonly heads: FlatMap; readonly history: History };

/** threads.yaml first, then the history: a thread that is archived between the two reads is in the second, never in none. */
export async function readTables(storage: Storage): Promise<Result<Tables, Fault>> {
  const heads = await readHeads(storage);
  if (!heads.ok) return heads;
  const history = readHistory(storage);
  return history.ok ? ok({ heads: heads.value, history: history.value }) : history;
}

/** One thread's state: history wins over `ending`, and that over threads.yaml. `null` when nobody knows it. */
export function stateOf(
  storage: Storage,
  tables: Tables,
  thread: ThreadId,
): Result<ThreadState | null, Fault> {
  const line = tables.history.get(thread);
  if (line !== undefined) return ok(endedBy(line));
  const head = tables.heads.get(thread);
  if (head === undefined) return ok(null);
  const ending = endingState(storage, thread);
  if (!ending.ok) return ending;
  return ok(ending.value ?? { kind: "active", thread, head });
}

/** A thread whose archive is not complete yet. */
function endingState(storage: Storage, thread: ThreadId): Result<EndedThread | null, Fault> {
  const ending = readEnding(storage, thread);
  if (!ending.ok || ending.value === null) return ending.ok ? ok(null) : ending;
  const workflow = workflowOfHead(storage.cas, ending.value.head);
  if (!workflow.ok) return workflow;
  return ok({ kind: "ended", thread, workflow: workflow.value, ...ending.value, pending: true });
}

/** A thread whose archive is recorded. */
export function endedBy(line: HistoryLine): EndedThread {
  return { kind: "ended", ...line, pending: false };
}
