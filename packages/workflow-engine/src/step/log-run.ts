import { type Fault, hintOf, messageOf, reasonOf } from "@uncaged/workflow-protocol";
import { type RunDir, readReport, readRunRecord, sessionUsageIn } from "@uncaged/workflow-store";
import { lastOfStderr, lastOfStdout } from "./run-fault.js";
import type { EndedRun, RunPlan, RunState, VerifiedAnswer, VerifiedRun } from "./types.js";

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
    usage: usage,
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
