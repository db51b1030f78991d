import { type CasRef, err, type Fault, fault, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import { addThread, type Chain, linearise, type Storage, withdrawThread } from "@uncaged/workflow-store";

/**
 * Points a new thread to a head that stands. Until then a gc may take away what nothing reaches, this head's past
 * included; from then on the head keeps it. So the chain is looked at afterwards, and the thread taken back if a gc was
 * quicker. What a head leads to goes after the head itself, so a chain that can be read is whole.
 */
export async function addWholeThread(
  storage: Storage,
  thread: ThreadId,
  head: CasRef,
): Promise<Result<Chain, Fault>> {
  const added = await addThread(storage, thread, head);
  if (!added.ok) return added;
  const chain = linearise(storage.cas, head);
  if (chain.ok) return chain;
  const withdrawn = await withdrawThread(storage, thread, head);
  return withdrawn.ok ? refused(head, chain.error) : withdrawn;
}

function refused(head: CasRef, cause: Fault): Result<never, Fault> {
  if (cause.code !== "CHAIN_DAMAGED") return err(cause);
  const { node, reason } = cause;
  return err(
    fault("CHAIN_DAMAGED", {
      head,
      node,
      reason: `${reason}, perhaps since a gc just now; no thread was made`,
    }),
  );
}
