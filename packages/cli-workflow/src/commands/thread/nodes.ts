import { resolveHash } from "@uncaged/json-cas";
import { err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import {
  attempt,
  type Chain,
  type ChainNode,
  findThread,
  type MissingPart,
  readChain,
  readChainNode,
  type Storage,
  type ThreadState,
} from "@uncaged/workflow-store";
import type { CommandContext } from "../../line/index.js";

export type ThreadHistory = {
  readonly storage: Storage;
  readonly state: ThreadState;
  readonly chain: Chain;
};

/** A thread, active or ended, with its complete chain; `folder`: the caller's, where a person has typed the text. */
export async function readHistory(
  storage: Storage,
  text: string,
  folder: string | null = null,
): Promise<Result<ThreadHistory, Fault>> {
  const state = await findThread(storage, text, folder);
  if (!state.ok) return state;
  const chain = readChain(storage.cas, state.value.head);
  return chain.ok ? ok({ storage, state: state.value, chain: chain.value }) : chain;
}

/**
 * A node that a step refers to and that is gone: the history is damaged (7), since the user did not ask for
 * that node by name (3).
 */
export function asMissingPart(step: string, part: string, failure: Fault): Result<never, Fault> {
  if (failure.code !== "NODE_MISSING") return err(failure);
  return err(
    fault("CHAIN_DAMAGED", { head: step, node: failure.hash, reason: `its ${part} does not exist` }),
  );
}

/** For what is left out of a step that is still shown. */
export function warnOfMissing({ warn }: CommandContext, step: string): (part: MissingPart) => void {
  return ({ missing, reason }) => {
    // The sentence about a damaged node names it already.
    const message = reason.includes(missing) ? reason : `it ${reason}`;
    warn(`step ${step} is shown without node ${missing}: ${message}`);
  };
}

/** A StartNode or StepNode named on the command line by its hash or a prefix. */
export function readNamedNode({ cas }: Storage, text: string): Result<ChainNode, Fault> {
  const hash = attempt(() => resolveHash(cas, text));
  return hash.ok ? readChainNode(cas, hash.value) : hash;
}
