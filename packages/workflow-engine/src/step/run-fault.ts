import {
  FAULTS,
  type Fault,
  type FaultCode,
  fault,
  hintOf,
  messageOf,
  type ReportedFault,
  reasonOf,
  toWhy,
} from "@uncaged/workflow-protocol";
import {
  type RunDir,
  readReport,
  readRunRecord,
  sessionUsageIn,
  stderrTail,
  stdoutTail,
} from "@uncaged/workflow-store";
import type { ChildOutcome } from "@uncaged/workflow-util";
import type { EndedRun, RunPlan, RunState, VerifiedAnswer, VerifiedRun } from "./types.js";

// A tail may begin in the middle of a key, so we read more than needed, remove the keys, then cut.

/** The end of the agent's stderr, without keys. */
export function lastOfStderr({ redactor }: RunState, run: RunDir, length: number): string {
  return redactor.tail(stderrTail(run, length + redactor.longest())).slice(-length);
}

/** The end of its stdout, without keys. */
function lastOfStdout({ redactor }: RunState, run: RunDir, length: number): string {
  return redactor.tail((stdoutTail(run) ?? "").slice(-(length + redactor.longest()))).slice(-length);
}

/** How a run ends that gives no step and does not wait. */
export type RunFault = Extract<
  Fault,
  {
    readonly code:
      | "AGENT_FAILED"
      | "AGENT_REFUSED"
      | "AGENT_IO_FAILED"
      | "AGENT_BAD_RESULT"
      | "AGENT_TIMEOUT"
      | "AGENT_NOT_STARTABLE"
      | "INTERRUPTED"
      | "IO_FAILED";
  }
>;

/** The fault of a run without a step, from how its agent ended; `reason` is stage 7's, for an agent that exited with 0. */
export function failureOf(
  plan: RunPlan,
  outcome: ChildOutcome,
  said: { readonly reason: string; readonly stderr: string; readonly reported: ReportedFault | null },
): RunFault {
  const { role } = plan;
  const command = plan.agent.program;
  const failed = (how: string, reported: ReportedFault | null = null): RunFault =>
    fault("AGENT_FAILED", {
      command,
      role,
      outcome: how,
      stderr: said.stderr,
      ...(reported === null ? {} : toWhy(reported)),
    });
  switch (outcome.kind) {
    case "exited":
      if (outcome.code === IO_ERROR) {
        return fault("AGENT_IO_FAILED", { command, role, problem: said.reported?.message ?? null });
      }
      if (outcome.code !== 0) {
        return said.reported !== null && isRefusal(said.reported)
          ? fault("AGENT_REFUSED", { command, role, refusal: said.reported })
          : failed(`exited with ${outcome.code}`, said.reported);
      }
      return fault("AGENT_BAD_RESULT", { command, role, problem: said.reason });
    case "signaled":
      return failed(`was ended by ${outcome.signal}`);
    case "timeout": {
      const { timeoutMs, idleMs } = plan.agent;
      const limit = outcome.limit === "wall" ? "timeoutSeconds" : "idleSeconds";
      const seconds = ((outcome.limit === "wall" ? timeoutMs : idleMs) ?? 0) / 1000;
      return fault("AGENT_TIMEOUT", { command, role, limit, seconds });
    }
    case "aborted":
      return fault("INTERRUPTED", { signal: outcome.signal, recorded: null });
    case "ended-after-result":
      return fault("AGENT_BAD_RESULT", { command, role, problem: said.reason });
    case "io-failed": {
      const { operation, path, errno, reason } = outcome;
      return fault("IO_FAILED", { operation, path, errno, reason });
    }
    case "not-startable":
      return fault("AGENT_NOT_STARTABLE", { command, reason: outcome.reason });
  }
}

/** EX_IOERR of sysexits.h: a retry would cost money and could not write either. */
export const IO_ERROR = 74;

/** Usage, not found, invalid: the agent's input is wrong, and every run fails until the user corrects it. */
const REFUSED: ReadonlySet<unknown> = new Set([2, 3, 4]);

function isRefusal({ code }: ReportedFault): boolean {
  return Object.hasOwn(FAULTS, code) && REFUSED.has(FAULTS[code as FaultCode].exit);
}

/** Bytes of a failed agent's output that are logged. */
const TAIL = 4096;

/** Logs a run that gave a step. */
export function logStep(state: RunState, plan: RunPlan, verified: VerifiedRun): void {
  const { run, step, outcome } = verified;
  const report = readReport(run);
  state.log("7Q2M4KXA", `${plan.role} recorded as ${step.hash}`, outcome === null ? "adopted" : "step", {
    ...common(state, plan, verified),
    step: step.hash,
    sessionId: report?.sessionId ?? null,
    cwd: report?.cwd ?? null,
    usage: sessionUsageIn(step.detail),
    ...(isOlder(run, step.timestamp) ? { writtenAt: step.timestamp } : {}),
  });
}

/** Whether the node existed before the run: it has the same content as another one, or the agent printed an old hash. */
function isOlder(run: RunDir, writtenAt: number): boolean {
  const record = readRunRecord(run);
  return record.ok && record.value !== null && writtenAt < record.value.startedAt;
}

/** Logs a run that gave no step, with the end of its output; keys are removed. */
export function logFailure(state: RunState, plan: RunPlan, ended: EndedRun, fault: Fault): void {
  const { run, outcome } = ended;
  const report = readReport(run);
  const { redactor } = state;
  const record = redactor.record({
    agent: plan.agent.program,
    sessionId: report?.sessionId ?? null,
    cwd: report?.cwd ?? null,
  });
  state.log("B8RC5WNE", redactor.text(messageOf(fault)), outcome === null ? "abandoned" : "failed", {
    ...common(state, plan, ended),
    ...record,
    code: fault.code,
    reason: reasonOf(fault),
    retryAfter: "retryAfter" in fault ? (fault.retryAfter ?? null) : null,
    stdout: storable(lastOfStdout(state, run, TAIL)),
    stderr: storable(lastOfStderr(state, run, TAIL)),
    usage: report?.usage ?? null,
    extractUsage: report?.extractUsage ?? null,
    raw: report?.raw ?? null,
    // It is unknown how a run ended if another uwf finds it.
    hint: outcome === null ? null : redactor.text(hintOf(fault)),
  });
}

/** Logs a step that was made without a run. */
export function logAnswer(state: RunState, { role, by, step }: VerifiedAnswer): void {
  state.log("J2X9FZ4D", `${role} answered by ${by}: ${step.hash}`, "answered", {
    role,
    by,
    head: state.chain.head,
    step: step.hash,
  });
}

/** Logs a run whose agent waits. */
export function logWaiting(state: RunState, plan: RunPlan, ended: EndedRun, fault: Fault): void {
  const usage = readReport(ended.run)?.usage ?? null;
  state.log("W3N8QJ6T", messageOf(fault), "waiting", {
    ...common(state, plan, ended),
    code: fault.code,
    usage,
  });
}

/** Logs a run whose step is valid but too late: the thread has ended, or its head has moved. */
export function logRefused(state: RunState, plan: RunPlan, verified: VerifiedRun, fault: Fault): void {
  const { step } = verified;
  state.log("ZK4T0V9D", messageOf(fault), "failed", {
    ...common(state, plan, verified),
    code: fault.code,
    step: step.hash,
    usage: sessionUsageIn(step.detail),
    hint: hintOf(fault),
  });
}

function common(state: RunState, plan: RunPlan, { run, outcome, attempt }: EndedRun) {
  return {
    role: plan.role,
    agent: plan.agent.program,
    run: run.token,
    head: state.chain.head,
    attempt,
    durationMs: outcome?.durationMs ?? null,
    exitCode: outcome?.kind === "exited" ? outcome.code : null,
    signal: outcome?.kind === "signaled" ? outcome.signal : null,
  };
}

function storable(text: string): string {
  return text.replace(/[\uD800-\uDFFF]/gu, "\ufffd");
}
