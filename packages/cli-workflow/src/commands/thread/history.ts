import { type Fault, ok, type Result } from "@uncaged/workflow-protocol";
import { type Chain, findThread, linearise, type Storage, type ThreadState } from "@uncaged/workflow-store";
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
