import type { Fault, Result } from "@uncaged/workflow-protocol";
import { type Claim, claimThread, findThread, isHeldByUs } from "@uncaged/workflow-store";
import { endRun } from "@uncaged/workflow-util";
import { runsToEnd } from "./left-runs.js";
import type { SignalWatch } from "./signals.js";
import type { StepDeps, StepRequest } from "./types.js";

/** Stage 2: the thread's lock and its head, or busy (75), ended (8), unknown (3). */
export async function claim(
  { storage, warn }: StepDeps,
  request: StepRequest,
  signals: SignalWatch,
): Promise<Result<Claim, Fault>> {
  const found = await findThread(storage, request.thread);
  if (!found.ok) return found;
  const { thread } = found.value;
  // A kill that died half-way: claiming completes its archive, which takes the runs away, but not their processes.
  const isPending = found.value.kind === "ended" && found.value.pending;
  const left = isPending ? runsToEnd(storage, thread, { warn }) : [];
  signals.endUnless(() => isHeldByUs(storage, thread));
  const claimed = await claimThread(storage, thread, { waitMs: request.waitMs });
  // Ours until we give it back, also when a person takes the lock away by force.
  if (claimed.ok) signals.endUnless(() => true);
  if (!claimed.ok && claimed.error.code === "THREAD_ENDED") {
    for (const run of left) await endRun(run, 0);
  }
  return claimed;
}
