import type { ThreadShowOutput } from "@uncaged/workflow-protocol";
import { findThread, workflowOfHead } from "@uncaged/workflow-store";
import { document } from "../output.js";
import type { CommandContext, CommandResult } from "../types.js";

export async function threadShow(
  context: CommandContext,
  request: { readonly thread: string },
): CommandResult {
  const storage = context.openStorage();
  if (!storage.ok) return storage;
  const state = await findThread(storage.value, request.thread);
  if (!state.ok) return state;
  const { thread, head } = state.value;
  const found = workflowOfHead(storage.value.cas, head);
  if (!found.ok) return found;
  const workflow = found.value;
  const shown: ThreadShowOutput =
    state.value.kind === "ended"
      ? { workflow, thread, head, done: true, reason: state.value.reason }
      : { workflow, thread, head, done: false };
  return document(shown);
}
