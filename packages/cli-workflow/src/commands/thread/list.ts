import { err, messageOf, type ThreadListItem } from "@uncaged/workflow-protocol";
import { type ListedThread, listThreads, type Storage, workflowOfHead } from "@uncaged/workflow-store";
import { document } from "../output.js";
import type { CommandContext, CommandResult } from "../types.js";

/** Active threads by id; one damaged thread is marked and hides none of the others. */
export async function threadList(context: CommandContext, request: { readonly all: boolean }): CommandResult {
  const storage = context.openStorage();
  if (!storage.ok) return storage;
  const threads = await listThreads(storage.value, { all: request.all });
  if (!threads.ok) return threads;
  return document(threads.value.map((state) => itemOf(storage.value, state, request.all)));
}

function itemOf(storage: Storage, state: ListedThread, withDone: boolean): ThreadListItem {
  const { thread, head } = state;
  const workflow = state.kind === "damaged" ? err(state.damage) : workflowOfHead(storage.cas, head);
  if (!workflow.ok) return { thread, workflow: null, head, error: messageOf(workflow.error) };
  const item = { thread, workflow: workflow.value, head };
  return withDone ? { ...item, done: state.kind === "ended" } : item;
}
