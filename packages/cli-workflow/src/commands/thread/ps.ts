import { type Fault, ok, type Result, type ThreadId, type ThreadPsItem } from "@uncaged/workflow-protocol";
import {
  attempt,
  explainHolder,
  findRuns,
  listLocks,
  readHead,
  readHolder,
  type Storage,
  threadsWithRuns,
  workflowOfHead,
} from "@uncaged/workflow-store";
import { holderOutput, underWay } from "../../holders.js";
import { document } from "../output.js";
import type { CommandContext, CommandResult } from "../types.js";
import { psTable } from "./ps-table.js";

/** What runs now, anywhere in this storage root. Looks at locks and runs only, however many threads there are. */
export async function threadPs(context: CommandContext): CommandResult {
  const opened = context.openStorage();
  if (!opened.ok) return opened;
  const storage = opened.value;
  const threads = busyThreads(storage);
  if (!threads.ok) return threads;
  const items: ThreadPsItem[] = [];
  for (const thread of threads.value) {
    const item = await itemOf(storage, thread);
    if (!item.ok) return item;
    if (item.value !== null) items.push(item.value);
  }
  return document(items, (screen) => psTable(screen, storage, items));
}

/** Every thread that has a lock or a run, by id. */
function busyThreads(storage: Storage): Result<readonly ThreadId[], Fault> {
  const locks = listLocks(storage);
  if (!locks.ok) return locks;
  const running = threadsWithRuns(storage);
  if (!running.ok) return running;
  const locked = locks.value.flatMap((lock) => (lock.kind === "thread" ? [lock.thread] : []));
  return ok([...new Set([...locked, ...running.value])].sort());
}

/** `null`: nobody works on it any more. */
async function itemOf(storage: Storage, thread: ThreadId): Promise<Result<ThreadPsItem | null, Fault>> {
  const runs = findRuns(storage, thread);
  if (!runs.ok) return runs;
  const holder = attempt(() => readHolder(storage, thread));
  if (!holder.ok) return holder;
  const held = holder.value === null ? null : { ...holder.value, ...explainHolder(holder.value) };
  const uwf = held === null || held.judgement === "dead" ? null : holderOutput(held);
  const newest = runs.value.at(-1);
  const running = newest === undefined ? null : underWay(newest, holder.value);
  if (running === null && uwf === null) return ok(null);
  const head = newest === undefined ? await readHead(storage, thread) : ok(newest.record.head);
  if (!head.ok) return head;
  const workflow = head.value === null ? null : workflowOfHead(storage.cas, head.value);
  const run =
    running === null || newest === undefined ? null : { ...running, attempt: newest.record.attempt };
  return ok({ thread, workflow: workflow?.ok ? workflow.value : null, run, uwf });
}
