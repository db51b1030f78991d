import { type CasRef, type Fault, type HistoryReason, ok, type Result } from "@uncaged/workflow-protocol";
import { archiveThread } from "@uncaged/workflow-store";
import { decideAfter } from "./decide.js";
import type { Road, VerifiedStep } from "./types.js";

/** How the thread has ended; `null` when it has not. */
export type Ended = HistoryReason | null;

/** Stage 9 after a run: decide again on the longer history; at `$END` and `$FAIL` the thread is archived. */
export async function finish(road: Road, step: VerifiedStep): Promise<Result<Ended, Fault>> {
  const { role, detail, agent } = step.payload;
  const seen = { hash: step.hash, step: { role, output: step.output.payload, detail, agent } };
  const decision = await decideAfter(road, seen);
  if (!decision.ok) return decision;
  if (decision.value.kind === "end") return archive(road, step.hash, decision.value.reason);
  road.whole.add(seen);
  return ok(null);
}

/** Stage 9 of a thread whose history already leads to an end. */
export async function archive(
  road: Road,
  head: CasRef,
  reason: "end" | "failed",
): Promise<Result<Ended, Fault>> {
  const workflow = road.chain.workflow.hash;
  const line = { thread: road.thread, head, workflow, reason, completedAt: road.host.now() };
  const archived = await archiveThread(road.storage, line, road.claim);
  if (!archived.ok) return archived;
  // An end that a kill decided before is the kill's to tell.
  if (archived.value.reason === reason) {
    const sentence = reason === "end" ? "the thread has ended" : "the thread has ended as failed";
    road.log("8KYD3VFS", sentence, { event: "ended", head, reason });
  }
  return ok(archived.value.reason);
}
