import { messageOf } from "@uncaged/workflow-protocol";
import { isOnRemote, openThreadList } from "@uncaged/workflow-store";
import { fetchNodes, placeFetched } from "./exchange.js";
import { type LeasedStepDeps, pushWithdrawn } from "./leased-step.js";

/**
 * Brings threads that others went on with to where the remote has them: what has ended there ends here, and a step of this
 * root that was never pushed is given up. Usually there are none.
 */
export async function catchUp(deps: LeasedStepDeps): Promise<void> {
  const { storage, remote, root } = deps;
  const list = await openThreadList(storage, { all: false });
  if (!list.ok) return deps.warn(messageOf(list.error));
  // Nothing is read of the others, which may be many.
  const copies = list.value.ids.filter((thread) => isOnRemote(storage, thread)).map(list.value.state);
  const here = copies.filter((copy) => copy !== null && copy.kind !== "damaged");
  if (here.length === 0) return;
  const astray = await remote.astray(
    root,
    here.map(({ thread, head }) => ({ thread, head })),
  );
  // The worker's loops find out, and say so.
  if (!astray.ok) return;
  for (const there of astray.value) {
    const nodes = await fetchNodes(deps, there);
    const brought = nodes.ok ? await placeFetched(storage, there, null) : nodes;
    const withdrawn = brought.ok ? brought.value.withdrawn : null;
    const done = withdrawn === null ? brought : await pushWithdrawn(deps, there, withdrawn);
    if (done.ok) continue;
    if (done.error.code === "REMOTE_FAILED") return;
    // An agent of a killed worker may still be running in it: then next time.
    if (done.error.code !== "THREAD_BUSY") deps.warn(messageOf(done.error));
  }
}
