import type { ForkOutput } from "@uncaged/workflow-protocol";
import { linearise } from "@uncaged/workflow-store";
import { createLogger, newThreadId } from "@uncaged/workflow-util";
import { document } from "../output.js";
import type { CommandContext, CommandResult } from "../types.js";
import { addWholeThread } from "./add.js";
import { readNamedNode } from "./node.js";

/** A new thread on an existing node. The head it was taken from does not move. */
export async function threadFork(context: CommandContext, request: { readonly hash: string }): CommandResult {
  const found = readNamedNode(context, request.hash);
  if (!found.ok) return found;
  const { storage, node } = found.value;
  // The whole chain is read before a head points to it: a fork of a damaged history would be a thread nobody can step.
  const chain = linearise(storage.cas, node.hash);
  if (!chain.ok) return chain;
  const thread = await newThreadId(context.host.now());
  const added = await addWholeThread(storage, thread, node.hash);
  if (!added.ok) return added;
  const log = createLogger({ dir: storage.paths.logs, now: context.host.now, thread });
  log("2NZ7PB4G", `the thread was forked from ${node.hash}`, {
    event: "forked",
    workflow: chain.value.workflow.hash,
    head: node.hash,
  });
  return document({ thread, forkedFrom: { step: node.hash } } satisfies ForkOutput);
}
