import {
  type CasRef,
  err,
  type Fault,
  type HistoryReason,
  ok,
  type Result,
} from "@uncaged/workflow-protocol";
import { archiveThread } from "@uncaged/workflow-store";
import { decideAfter, noteStuck } from "./decide.js";
import { type Caller, notify } from "./notify.js";
import { configure } from "./plan.js";
import type { RunState, StepState, VerifiedStep } from "./types.js";

/** How the thread ended; `null`: it has not. */
export type Ended = HistoryReason | null;

/** Stage 9 after a run: decide again on the longer history; at `$END` and `$FAIL` the thread is archived. */
export async function finish(state: RunState, step: VerifiedStep): Promise<Result<Ended, Fault>> {
  const { role, detail, agent } = step.payload;
  const seen = { hash: step.hash, step: { role, output: step.output.payload, detail, agent } };
  const decision = await decideAfter(state, seen);
  if (!decision.ok) {
    const failure = state.redactor.fault(decision.error);
    noteStuck(state, failure);
    return err(failure);
  }
  if (decision.value.kind === "end") {
    await notifyEnd(state, step.hash, decision.value.reason);
    return archive(state, step.hash, decision.value.reason);
  }
  return ok(null);
}

/** Before the archive: after a crash in between, the next step ends the thread again and notifies again. */
async function notifyEnd(caller: Caller, head: CasRef, reason: "end" | "failed"): Promise<void> {
  const about = { role: null, question: null, command: `uwf thread read ${caller.thread}` };
  await notify({ ...caller, chain: { ...caller.chain, head } }, reason === "end" ? "ended" : "failed", about);
}

/** Stage 9 for a thread whose history already leads to an end. */
export async function finishAtOnce(
  state: StepState,
  reason: "end" | "failed",
): Promise<Result<Ended, Fault>> {
  const configured = await configure(state, null);
  // A config.yaml that cannot be read keeps no thread from ending.
  if (configured.ok) await notifyEnd({ ...state, ...configured.value }, state.chain.head, reason);
  return archive(state, state.chain.head, reason);
}

async function archive(
  state: StepState,
  head: CasRef,
  reason: "end" | "failed",
): Promise<Result<Ended, Fault>> {
  const workflow = state.chain.workflow.hash;
  const line = { thread: state.thread, head, workflow, reason, completedAt: state.host.now() };
  const archived = await archiveThread(state.storage, line, state.claim, state.log);
  if (!archived.ok) return archived;
  // If a kill came first, the kill logs the end.
  if (archived.value.reason === reason) {
    const sentence = reason === "end" ? "the thread has ended" : "the thread has ended as failed";
    state.log("8KYD3VFS", sentence, "ended", { head, reason });
  }
  return ok(archived.value.reason);
}
