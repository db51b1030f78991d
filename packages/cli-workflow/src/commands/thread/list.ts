import { messageOf, type ThreadListItem } from "@uncaged/workflow-protocol";
import { listThreads, readStartOf, type Storage, type ThreadState } from "@uncaged/workflow-store";
import { document } from "../output.js";
import type { CommandContext, CommandResult } from "../types.js";

/** Active threads by id; one damaged thread is marked and hides none of the others. */
export async function threadList(context: CommandContext, request: { readonly all: boolean }): CommandResult {
  const storage = context.openStorage();
  if (!storage.ok) return storage;
  const threads = listThreads(storage.value, { all: request.all });
  if (!threads.ok) return threads;
  return document(threads.value.map((state) => itemOf(storage.value, state, request.all)));
}

function itemOf(storage: Storage, state: ThreadState, withDone: boolean): ThreadListItem {
  const { thread, head } = state;
  const start = readStartOf(storage.cas, head);
  if (!start.ok) return { thread, workflow: null, head, error: messageOf(start.error) };
  const { workflow } = start.value.payload;
  return withDone ? { thread, workflow, head, done: state.kind === "ended" } : { thread, workflow, head };
}
