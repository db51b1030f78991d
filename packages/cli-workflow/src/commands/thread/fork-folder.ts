import { type CasRef, type Fault, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import {
  type Chain,
  linearise,
  listThreads,
  readChainNode,
  readFolder,
  type Storage,
} from "@uncaged/workflow-store";

/** Where a fork's agents work, and the thread that it has this from; `null`: from the caller. */
export type ForkFolder = { readonly cwd: string; readonly thread: ThreadId | null };

/**
 * The folder of the thread that a node was forked from: a node does not say whose it is, so every active thread that has
 * it in its history is asked. Where they have different ones, nobody knows which is meant, and the caller's is taken.
 */
export async function forkFolder(
  storage: Storage,
  chain: Chain,
  { given, cwd }: { readonly given: string | null; readonly cwd: string },
): Promise<Result<ForkFolder, Fault>> {
  if (given !== null) return ok({ cwd: given, thread: null });
  const threads = await listThreads(storage, { all: false });
  if (!threads.ok) return threads;
  const owners: ForkFolder[] = [];
  for (const state of threads.value) {
    const { thread } = state;
    const isOwner = state.kind === "active" && hasNode(storage, state.head, chain);
    const folder = isOwner ? readFolder(storage, thread) : ok(null);
    if (folder.ok && folder.value !== null) owners.push({ cwd: folder.value, thread });
  }
  const [oldest] = owners;
  const isOne = oldest !== undefined && owners.every((owner) => owner.cwd === oldest.cwd);
  return ok(isOne ? oldest : { cwd, thread: null });
}

/** A step names its start, so most threads are passed over by one look at their head. */
function hasNode({ cas }: Storage, head: CasRef, { head: node, start }: Chain): boolean {
  if (head === node) return true;
  const at = readChainNode(cas, head);
  if (!at.ok || at.value.kind !== "step" || at.value.payload.start !== start.hash) return false;
  if (node === start.hash) return true;
  const history = linearise(cas, head);
  return history.ok && history.value.steps.some(({ hash }) => hash === node);
}
