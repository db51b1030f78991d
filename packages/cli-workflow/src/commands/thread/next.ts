import { explain } from "@uncaged/workflow-moderator";
import { END } from "@uncaged/workflow-protocol";
import { document } from "../output.js";
import type { CommandContext, CommandResult } from "../types.js";
import { readExpandedHistory } from "./history.js";

/** The decision that the next step would take, with every condition and its value. Runs nothing. */
export async function threadNext(
  context: CommandContext,
  request: { readonly thread: string },
): CommandResult {
  const history = await readExpandedHistory(context, request.thread);
  if (!history.ok) return history;
  const { state, chain, expanded } = history.value;
  const explained = await explain(chain.workflow.payload, expanded);
  if (!explained.ok) return explained;
  const { decision, transitions } = explained.value;
  const next = decision.kind === "end" ? END : decision.role;
  return document({
    workflow: chain.workflow.hash,
    thread: state.thread,
    head: state.head,
    next,
    transitions,
  });
}
