import { resolveHash } from "@uncaged/json-cas";
import type { ForkOutput } from "@uncaged/workflow-protocol";
import { addThread, attempt, linearise, readChainNode } from "@uncaged/workflow-store";
import { newThreadId } from "@uncaged/workflow-util";
import { document } from "../output.js";
import type { CommandContext, CommandResult } from "../types.js";

/** A new thread on an existing node. The head it was taken from does not move. */
export async function threadFork(context: CommandContext, request: { readonly hash: string }): CommandResult {
  const storage = context.openStorage();
  if (!storage.ok) return storage;
  const { cas } = storage.value;
  const hash = attempt(() => resolveHash(cas, request.hash));
  if (!hash.ok) return hash;
  const node = readChainNode(cas, hash.value);
  if (!node.ok) return node;
  // The whole chain is read before a head points to it: a fork of a damaged history would be a thread nobody can step.
  const chain = linearise(cas, hash.value);
  if (!chain.ok) return chain;
  const thread = await newThreadId(context.host.now());
  const added = await addThread(storage.value, thread, hash.value);
  if (!added.ok) return added;
  return document({ thread, forkedFrom: { step: hash.value } } satisfies ForkOutput);
}
