import { type Fault, messageOf, ok, type Result } from "@uncaged/workflow-protocol";
import { isOnRemote, listThreads } from "@uncaged/workflow-store";
import { bringHere, fetchNodes } from "./exchange.js";
import { giveUp, type StepDeps } from "./leased-step.js";

/**
 * Brings threads that others went on with to where the remote has them: what has ended there ends here, and a step of this
 * root that was never pushed is given up. Seldom finds any.
 */
export async function catchUp(deps: StepDeps): Promise<Result<void, Fault>> {
  const { storage, remote, root } = deps;
  const listed = await listThreads(storage, { all: false });
  if (!listed.ok) return listed;
  const here = listed.value.filter(({ kind, thread }) => kind !== "damaged" && isOnRemote(storage, thread));
  if (here.length === 0) return ok(undefined);
  const astray = await remote.astray(
    root,
    here.map(({ thread, head }) => ({ thread, head })),
  );
  if (!astray.ok) return astray;
  for (const there of astray.value) {
    const nodes = await fetchNodes(deps, there);
    const brought = nodes.ok ? await bringHere(storage, there, null) : nodes;
    const withdrawn = brought.ok ? brought.value.withdrawn : null;
    const done = withdrawn === null ? brought : await giveUp(deps, there, withdrawn);
    if (done.ok) continue;
    if (done.error.code === "REMOTE_FAILED") return done;
    // An agent of a killed worker may run on in it: next time.
    if (done.error.code !== "THREAD_BUSY") deps.warn(messageOf(done.error));
  }
  return ok(undefined);
}
