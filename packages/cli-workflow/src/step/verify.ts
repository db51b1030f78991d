import { err, type Fault, fault, ofRun, ok, type Result } from "@uncaged/workflow-protocol";
import { isRunLogged, readReport, removeRun, stdoutTail } from "@uncaged/workflow-store";
import { type ChildOutcome, endRun } from "@uncaged/workflow-util";
import { graceMs } from "./agent-environment.js";
import { logFailure } from "./log-run.js";
import { failureOf, lastOfStderr } from "./run-fault.js";
import { claimLost } from "./stop.js";
import type { EndedRun, NoStep, RunPlan, RunState, VerifiedRun } from "./types.js";

/** How much of an agent's last words goes into its fault. */
const STDERR_BYTES = 2048;

/** The one lazy import of a step: it brings the schema validator. */
export function loadVerifyStdout(): Promise<typeof import("./verify-stdout.js")> {
  return import("./verify-stdout.js");
}

/**
 * Stage 7: what the run printed, as a StepNode that continues this head in this role. A run that gave none is told to the
 * log, and goes; what its agent has left running ends first.
 */
export async function verify(
  state: RunState,
  plan: RunPlan,
  run: Result<EndedRun, Fault>,
): Promise<Result<VerifiedRun, NoStep>> {
  if (!run.ok) return failed(run.error);
  const ended = run.value;
  const { verifyStdout } = await loadVerifyStdout();
  const step = verifyStdout(state, plan, stdoutTail(ended.run));
  if (step.ok && mayCount(ended.outcome)) return ok({ ...ended, step: step.value });
  const problem = step.ok ? "" : step.error;
  return ended.outcome === null ? abandon(state, plan, ended, problem) : fail(state, plan, ended, problem);
}

/**
 * An agent that exits with another status than 0 says that it failed, whatever it printed. One that is killed (by a
 * person, by the system for its memory) says nothing: what it has printed has been paid for.
 */
function mayCount(outcome: ChildOutcome | null): boolean {
  if (outcome?.kind === "exited") return outcome.code === 0;
  return outcome?.kind !== "not-startable" && outcome?.kind !== "io-failed";
}

/** A run of a uwf that died. */
function abandon(
  state: RunState,
  plan: RunPlan,
  ended: Extract<EndedRun, { readonly outcome: null }>,
  problem: string,
): Result<VerifiedRun, NoStep> {
  const failure = fault("AGENT_BAD_RESULT", {
    command: plan.agent.program,
    role: ended.role,
    problem: `uwf died while it ran, and ${problem}`,
  });
  if (!isRunLogged(state.storage, state.thread, ended.run)) logFailure(state, plan, ended, failure);
  const removed = removeRun(ended.run);
  return removed.ok ? err({ kind: "abandoned" }) : failed(removed.error);
}

async function fail(
  state: RunState,
  plan: RunPlan,
  ended: Extract<EndedRun, { readonly outcome: ChildOutcome }>,
  problem: string,
): Promise<Result<VerifiedRun, NoStep>> {
  const { run, outcome } = ended;
  // What the agent has left behind would work beside the next run: who looks for a run's end counts all its processes.
  const own = { pid: outcome.pid, startTime: null, token: run.token };
  if (!(await endRun(own, graceMs(state.host.env), true))) return failed(staying(state, plan));
  // The run belongs to whoever has the thread now.
  const lost = claimLost(state);
  if (lost !== null) return failed(lost);
  const stderr = lastOfStderr(state, run, STDERR_BYTES);
  const told = readReport(run)?.fault ?? null;
  const failure = state.redactor.value(failureOf(plan, outcome, { reason: problem, stderr, told }));
  logFailure(state, plan, ended, failure);
  // A failed run that stays would be looked at as an abandoned one.
  const removed = removeRun(run);
  if (!removed.ok) return failed(removed.error);
  return failed(DID_RUN.has(outcome.kind) ? ofRun(failure, stderr) : failure);
}

function failed(failure: Fault): Result<VerifiedRun, NoStep> {
  return err({ kind: "failed", fault: failure });
}

/** The run stays as well: the next step waits for these processes as for those of a uwf that is gone. */
function staying({ thread }: RunState, { role }: RunPlan): Fault {
  const holder = `its agent as ${role} has failed, and processes of it cannot be ended`;
  return fault("THREAD_BUSY", { thread, holder });
}

const DID_RUN: ReadonlySet<ChildOutcome["kind"]> = new Set([
  "exited",
  "signaled",
  "timeout",
  "ended-after-result",
]);
