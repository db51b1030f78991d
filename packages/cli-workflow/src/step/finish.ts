import { type CasRef, err, type Fault, ok, type Result } from "@uncaged/workflow-protocol";
import { archiveThread } from "@uncaged/workflow-store";
import { decideAfter } from "./decide.js";
import type { Road, VerifiedStep } from "./types.js";

/** Stage 9 after a run: decide again on the longer history; at `$END` the thread is archived. Gives `done`. */
export async function finish(road: Road, step: VerifiedStep): Promise<Result<boolean, Fault>> {
  const { role, detail, agent } = step.payload;
  const seen = { role, output: step.output.payload, detail, agent };
  const decision = await decideAfter(road, seen);
  if (!decision.ok) return err(recordedAs(decision.error, step.hash));
  if (decision.value.kind === "end") return archive(road, step.hash);
  road.whole.add({ hash: step.hash, step: seen });
  return ok(false);
}

/** Stage 9 of a thread whose history already leads to `$END`. */
export async function archive(road: Road, head: CasRef): Promise<Result<boolean, Fault>> {
  const archived = await archiveThread(road.storage, {
    thread: road.thread,
    head,
    workflow: road.chain.workflow.hash,
    reason: "end",
    completedAt: road.host.now(),
  });
  if (!archived.ok) return archived;
  // An end that a kill decided before is the kill's to tell.
  if (archived.value.reason === "end") road.log("8KYD3VFS", "the thread has ended", { event: "ended", head });
  return ok(true);
}

/** The step before a failed decision is recorded all the same; the fault says so. */
function recordedAs(failure: Fault, head: CasRef): Fault {
  return "recorded" in failure ? { ...failure, recorded: head } : failure;
}
