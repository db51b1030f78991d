import { explain } from "@uncaged/workflow-moderator";
import { END, FAIL } from "@uncaged/workflow-protocol";
import { findThread } from "@uncaged/workflow-store";
import { decideBy, linearise, readWhole } from "../../step/index.js";
import { document } from "../output.js";
import type { CommandContext, CommandResult } from "../types.js";

/**
 * The decision that the next step would take, with every condition and its value: from as much of the history as that
 * step would read. Runs nothing.
 */
export async function threadNext(
  context: CommandContext,
  request: { readonly thread: string },
): CommandResult {
  const storage = context.openStorage();
  if (!storage.ok) return storage;
  const state = await findThread(storage.value, request.thread);
  if (!state.ok) return state;
  const { thread, head } = state.value;
  const chain = linearise(storage.value, head);
  if (!chain.ok) return chain;
  const place = { storage: storage.value, thread, chain: chain.value };
  const { workflow } = chain.value;
  const past = { ...place, whole: readWhole(place) };
  const explained = await decideBy(past, (history) => explain(workflow.payload, history));
  if (!explained.ok) return explained;
  const { decision, transitions } = explained.value;
  const next = decision.kind === "role" ? decision.role : decision.reason === "end" ? END : FAIL;
  return document({ workflow: workflow.hash, thread, head, next, transitions });
}
