import { parseHash } from "@uncaged/json-cas";
import {
  err,
  type Fault,
  fault,
  lastLine,
  ofRun,
  ok,
  type Result,
  type WaitingRecord,
} from "@uncaged/workflow-protocol";
import {
  isRunLogged,
  readReport,
  readWaiting,
  readWorkFolder,
  recordedIn,
  removeRun,
  stdoutTail,
  verifyStep,
} from "@uncaged/workflow-store";
import { type ChildOutcome, endRun } from "@uncaged/workflow-util";
import { checkFolder } from "../host.js";
import { graceMs } from "./agent-program.js";
import { hold } from "./held.js";
import { failureOf, IO_ERROR, lastOfStderr, logFailure, logWaiting } from "./run-fault.js";
import { spendRun } from "./spending.js";
import { claimLost } from "./stop.js";
import type {
  AnsweredStep,
  EndedRun,
  NoStep,
  RunPlan,
  RunState,
  VerifiedAnswer,
  VerifiedRun,
  VerifiedStep,
} from "./types.js";

/** How much of an agent's stderr goes into its fault. */
const STDERR_BYTES = 2048;

/** An agent that exits so, with waiting.json, has not failed, and has made no step yet. */
const WAITING_EXIT = 9;

/**
 * Stage 7: the StepNode that the run printed, if it continues this head as this role. A run without one is logged and
 * removed, after the processes that its agent left running have been ended.
 */
export async function verify(
  state: RunState,
  plan: RunPlan,
  run: Result<EndedRun | AnsweredStep, Fault>,
): Promise<Result<VerifiedRun | VerifiedAnswer, NoStep>> {
  if (!run.ok) return failed(run.error);
  const ended = run.value;
  if (ended.run === null) {
    const step = verifyStdout(state, plan, ended.hash);
    if (step.ok) return ok({ ...ended, step: step.value });
    return failed(fault("AGENT_BAD_RESULT", { command: ended.by, role: plan.role, problem: step.error }));
  }
  const step = verifyStdout(state, plan, stdoutTail(ended.run));
  if (step.ok && mayCount(ended.outcome)) return ok({ ...ended, step: step.value });
  const waiting = step.ok ? null : waitsFor(ended);
  if (waiting !== null) return holdBack(state, plan, ended, waiting);
  const problem = step.ok ? "" : step.error;
  return ended.outcome === null ? abandon(state, plan, ended, problem) : fail(state, plan, ended, problem);
}

/**
 * An agent that exits with a status other than 0 has failed, whatever it printed. One that is killed (by a person, by the
 * system for its memory) may have finished its work before: a result that it printed counts.
 */
function mayCount(outcome: ChildOutcome | null): boolean {
  if (outcome?.kind === "exited") return outcome.code === 0;
  return outcome?.kind !== "not-startable" && outcome?.kind !== "io-failed";
}

/** Exit 9 and waiting.json: the agent cannot go on yet. The exit code of a run whose uwf died is unknown. */
function waitsFor({ outcome, run }: EndedRun): WaitingRecord | null {
  const canWait = outcome === null || (outcome.kind === "exited" && outcome.code === WAITING_EXIT);
  return canWait ? readWaiting(run) : null;
}

/** Ends the run of an agent that waits. The hold comes before the run's end: a crash in between leads here again. */
async function holdBack(
  state: RunState,
  plan: RunPlan,
  ended: EndedRun,
  waiting: WaitingRecord,
): Promise<Result<VerifiedRun, NoStep>> {
  const { run, outcome } = ended;
  const own = { pid: outcome?.pid ?? null, startTime: null, token: run.token };
  if (!(await endRun(own, graceMs(state.host.env), true))) return failed(staying(state, plan));
  const lost = claimLost(state);
  if (lost !== null) return failed(lost);
  const fault = await hold(state, plan, waiting);
  const isLogged = ended.outcome === null && isRunLogged(state.storage, state.thread, ended.run);
  if (!isLogged) logWaiting(state, plan, ended, fault);
  const spent = await spendRun(state, plan, ended, "waiting");
  const removed = spent.ok ? removeRun(run) : spent;
  return failed(removed.ok ? fault : removed.error);
}

/** A run whose uwf died. */
async function abandon(
  state: RunState,
  plan: RunPlan,
  ended: Extract<EndedRun, { readonly outcome: null }>,
  problem: string,
): Promise<Result<VerifiedRun, NoStep>> {
  const failure = fault("AGENT_BAD_RESULT", {
    command: plan.agent.program,
    role: ended.role,
    problem: `uwf died while it ran, and ${problem}`,
  });
  if (!isRunLogged(state.storage, state.thread, ended.run)) logFailure(state, plan, ended, failure);
  const spent = await spendRun(state, plan, ended, "failed");
  const removed = spent.ok ? removeRun(ended.run) : spent;
  return removed.ok ? err({ kind: "abandoned" }) : failed(removed.error);
}

async function fail(
  state: RunState,
  plan: RunPlan,
  ended: Extract<EndedRun, { readonly outcome: ChildOutcome }>,
  problem: string,
): Promise<Result<VerifiedRun, NoStep>> {
  const { run, outcome } = ended;
  // Processes that the agent left behind would work at the same time as the next run.
  const own = { pid: outcome.pid, startTime: null, token: run.token };
  if (!(await endRun(own, graceMs(state.host.env), true))) return failed(staying(state, plan));
  // The run belongs to the process that holds the thread now.
  const lost = claimLost(state);
  if (lost !== null) return failed(lost);
  const stderr = lastOfStderr(state, run, STDERR_BYTES);
  const reported = readReport(run)?.fault ?? null;
  const lacking = reported === null ? folderLost(state, plan, outcome) : null;
  const failure = state.redactor.fault(
    lacking ?? failureOf(plan, outcome, { reason: problem, stderr, reported }),
  );
  logFailure(state, plan, ended, failure);
  const spent = await spendRun(state, plan, ended, "failed");
  // A failed run left on disk would be taken for an abandoned one.
  const removed = spent.ok ? removeRun(run) : spent;
  if (!removed.ok) return failed(removed.error);
  return failed(DID_RUN.has(outcome.kind) ? ofRun(failure, stderr) : failure);
}

/** An agent whose folder was removed while it worked ends as if it could not write; a retry would not find it either. */
function folderLost({ storage, thread }: RunState, plan: RunPlan, outcome: ChildOutcome): Fault | null {
  if (outcome.kind !== "exited" || outcome.code !== IO_ERROR) return null;
  const folder = readWorkFolder(storage, thread);
  const reason = folder.ok && folder.value !== null ? checkFolder(folder.value) : null;
  if (reason === null) return null;
  const since = `since agent ${plan.agent.program} worked in it as ${plan.role}`;
  return fault("FOLDER_UNUSABLE", { thread, reason: `${reason} ${since}` });
}

function failed(failure: Fault): Result<VerifiedRun, NoStep> {
  return err({ kind: "failed", fault: failure });
}

/** The run stays on disk: the next step waits for these processes as for those of a uwf that died. */
function staying({ thread }: RunState, { role }: RunPlan): Fault {
  const holder = `its agent as ${role} has failed, and some of its processes cannot be ended`;
  return fault("THREAD_BUSY", { thread, holder });
}

const DID_RUN: ReadonlySet<ChildOutcome["kind"]> = new Set([
  "exited",
  "signaled",
  "timeout",
  "ended-after-result",
]);

/** The StepNode that an agent printed, if it continues this head as this role; else the reason why not. */
export function verifyStdout(
  state: RunState,
  plan: RunPlan,
  stdout: string | null,
): Result<VerifiedStep, string> {
  if (stdout === null) return err("its stdout is not a regular file any more");
  const line = lastLine(stdout);
  if (line === null) return err(stdout === "" ? "it printed nothing" : "it printed blank lines at the end");
  const hash = parseHash(line);
  if (hash === null)
    return err(`its last line is ${JSON.stringify(shorten(state.redactor.tail(line)))}, not a hash`);
  const verified = verifyStep(state.storage.cas, {
    hash,
    head: state.chain.head,
    startHash: state.chain.start.hash,
    role: plan.role,
    meta: plan.meta,
    isRecorded: recordedIn(state.chain),
  });
  return verified.ok ? ok(verified.value) : err(`node ${hash}: ${verified.error}`);
}

function shorten(line: string): string {
  return line.length <= 100 ? line : `${line.slice(0, 100)}…`;
}
