import { type Fault, type ModeratorContext, ok, type Result } from "@uncaged/workflow-protocol";
import {
  type Chain,
  contextOf,
  findThread,
  linearise,
  type Storage,
  type ThreadState,
} from "@uncaged/workflow-store";
import type { CommandContext } from "../types.js";

export type ThreadHistory = {
  readonly storage: Storage;
  readonly state: ThreadState;
  readonly chain: Chain;
};

/** A thread named on the command line, active or ended, with its whole chain. Reads never write. */
export async function readHistory(
  context: CommandContext,
  text: string,
): Promise<Result<ThreadHistory, Fault>> {
  const storage = context.openStorage();
  if (!storage.ok) return storage;
  const state = await findThread(storage.value, text);
  if (!state.ok) return state;
  const chain = linearise(storage.value.cas, state.value.head);
  return chain.ok ? ok({ storage: storage.value, state: state.value, chain: chain.value }) : chain;
}

/** `readHistory` with every output expanded. */
export async function readExpandedHistory(
  context: CommandContext,
  text: string,
): Promise<Result<ThreadHistory & { readonly expanded: ModeratorContext }, Fault>> {
  const history = await readHistory(context, text);
  if (!history.ok) return history;
  const expanded = contextOf(history.value.storage.cas, history.value.chain);
  return expanded.ok ? ok({ ...history.value, expanded: expanded.value }) : expanded;
}
