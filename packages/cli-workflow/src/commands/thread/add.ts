import {
  type CasRef,
  err,
  type Fault,
  fault,
  ok,
  type Result,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { addThread, readChain, type Storage, withdrawThread } from "@uncaged/workflow-store";

/**
 * Points a new thread to an existing head. Until then gc may remove whatever nothing reaches, including this
 * head's past; from then on the head keeps it. So the chain is checked afterwards, and the thread withdrawn if gc
 * was faster. What a head refers to is removed after the head itself, so a chain that can be read is complete. A
 * rewritten head shares outputs and details with the original one.
 */
export async function addWholeThread(
  storage: Storage,
  thread: ThreadId,
  { head, from, workFolder }: { readonly head: CasRef; readonly from: CasRef; readonly workFolder: string },
): Promise<Result<void, Fault>> {
  const added = await addThread(storage, thread, head, workFolder);
  return added.ok ? withdrawUnlessWhole(storage, thread, { head, from }) : added;
}

/** Withdraws a thread that was just added if gc has taken something of its past meanwhile. */
export async function withdrawUnlessWhole(
  storage: Storage,
  thread: ThreadId,
  { head, from }: { readonly head: CasRef; readonly from: CasRef },
): Promise<Result<void, Fault>> {
  const chains = [...new Set([head, from])].map((each) => readChain(storage.cas, each));
  const lost = chains.find((chain) => !chain.ok);
  if (lost === undefined || lost.ok) return ok(undefined);
  const withdrawn = await withdrawThread(storage, thread, head);
  return withdrawn.ok ? refused(head, lost.error) : withdrawn;
}

function refused(head: CasRef, cause: Fault): Result<never, Fault> {
  if (cause.code !== "CHAIN_DAMAGED") return err(cause);
  const { node, reason } = cause;
  return err(
    fault("CHAIN_DAMAGED", {
      head,
      node,
      reason: `${reason}, perhaps because of a gc at the same time; no thread was created`,
    }),
  );
}
