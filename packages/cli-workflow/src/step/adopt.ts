import { type Fault, fault, type Result } from "@uncaged/workflow-protocol";
import {
  barRun,
  type Chain,
  doubtAbout,
  type FoundRun,
  findRuns,
  identityOf,
  isRunLogged,
  logLeftRun,
  type RunDir,
  removeRun,
  stdoutTail,
} from "@uncaged/workflow-store";
import { endRun, runMembers } from "@uncaged/workflow-util";
import { loadVerify } from "./load.js";
import { logFailure } from "./log-run.js";
import type { RunPlan, RunResult, RunRoad } from "./types.js";

const POLL_MS = 100;

/**
 * Looks for a run whose uwf is gone (we hold the thread's lock, so every run that is there is one).
 * Gives its result, or busy while its agent lives, or `null`: nothing is left to wait for, a new run may start.
 */
export async function adoptPrevious(road: RunRoad, plan: RunPlan, waitMs: number): Promise<RunResult | null> {
  const runs = findRuns(road.storage, road.thread);
  if (!runs.ok) return { kind: "failed", fault: runs.error };
  for (const run of runs.value) {
    const result =
      run.record.head === road.chain.head ? await adopt(road, plan, run, waitMs) : await sweep(road, run);
    if (result !== null) return result;
  }
  return null;
}

/**
 * A run of an older head has given its step, and its uwf died before it told so; or it has come too late. An agent of
 * it that still stays is ended.
 */
async function sweep(road: RunRoad, run: FoundRun): Promise<RunResult | null> {
  const { storage, thread, chain } = road;
  const steps = chain.last(null);
  if (!steps.ok) return failed(steps.error);
  const { head, workflow, start } = chain;
  const whole: Chain = { head, workflow, start, steps: steps.value };
  const stranger = notOurs(whole, run);
  if (stranger !== null) return failed(stranger);
  if (barRun(run) === "started") await endRun(identityOf(run), 0);
  logLeftRun(storage, thread, run, { chain: whole, code: "HEAD_MOVED" });
  return removed(removeRun(run));
}

/** A head that this thread never had: run.json is damaged, and the result that it hides may be the step to come. */
function notOurs({ start, steps }: Chain, { record, runFile }: FoundRun): Fault | null {
  if ([start, ...steps].some(({ hash }) => hash === record.head)) return null;
  return fault("STORE_DAMAGED", { file: runFile, reason: `${record.head} was never a head of this thread` });
}

async function adopt(road: RunRoad, plan: RunPlan, run: FoundRun, waitMs: number): Promise<RunResult | null> {
  const doubt = doubtAbout(run);
  if (doubt !== null) return unknown(road, run, doubt);
  // Barring and the child's own pid record exclude each other: from here on the agent has started, or never will.
  if (barRun(run) === "started" && !(await hasEnded(road, run, waitMs))) return busy(road, run);
  const how = { outcome: null, attempt: run.record.attempt };
  const { verify } = await loadVerify();
  const verified = verify(road, plan, stdoutTail(run));
  if (verified.ok) {
    return { kind: "step", step: verified.value, run, how };
  }
  const failure = fault("AGENT_BAD_RESULT", {
    command: plan.agent.program,
    role: run.record.role,
    problem: `uwf died while it ran, and ${verified.error}`,
  });
  if (!isRunLogged(road.storage, road.thread, run)) logFailure(road, plan, run, failure, how);
  return removed(removeRun(run));
}

function failed(failure: Fault): RunResult {
  return { kind: "failed", fault: failure };
}

function removed(result: Result<void, Fault>): RunResult | null {
  return result.ok ? null : failed(result.error);
}

/** Whether no process of the run lives; looks again for as long as the caller wants to wait. */
async function hasEnded(road: RunRoad, run: RunDir, waitMs: number): Promise<boolean> {
  const deadline = road.host.now() + waitMs;
  while (runMembers(identityOf(run)).length > 0) {
    if (road.host.now() >= deadline || road.signals.received() !== null) return false;
    await road.host.sleep(POLL_MS);
  }
  return true;
}

function busy(road: RunRoad, run: FoundRun): RunResult {
  const signal = road.signals.received();
  if (signal !== null) return { kind: "failed", fault: fault("INTERRUPTED", { signal, recorded: null }) };
  const pids = runMembers(identityOf(run)).join(", ");
  return held(road, `its agent ${started(run)} still runs (pid ${pids}) though its uwf is gone`);
}

function unknown(road: RunRoad, run: FoundRun, doubt: string): RunResult {
  return held(road, `whether its agent ${started(run)} still runs cannot be told from here: ${doubt}`);
}

/** `as writer, started 2025-01-31T08:00:00.000Z on build-7,`. */
function started({ record }: FoundRun): string {
  const host = record.host === null ? "" : ` on ${record.host}`;
  return `as ${record.role}, started ${new Date(record.startedAt).toISOString()}${host},`;
}

function held({ thread }: RunRoad, holder: string): RunResult {
  return failed(fault("THREAD_BUSY", { thread, holder }));
}
