import { type Fault, messageOf, reasonOf, type Usage } from "@uncaged/workflow-protocol";
import { type RunDir, readReport, readRunRecord, sessionUsageIn } from "@uncaged/workflow-store";
import { lastOfStderr, lastOfStdout } from "./run-fault.js";
import type { RunEnd, RunPlan, RunRoad, RunStep } from "./types.js";

/** Bytes of what a failed agent wrote last. */
const TAIL = 4096;

/** The record of a run that gave a step. */
export function logStep(road: RunRoad, plan: RunPlan, { run, step, how }: RunStep): void {
  road.log("7Q2M4KXA", `${plan.role} recorded as ${step.hash}`, {
    ...common(road, plan, run, how),
    outcome: how.outcome === null ? "adopted" : "step",
    step: step.hash,
    usage: usageJson(sessionUsageIn(step.detail)),
    ...(isOlder(run, step.timestamp) ? { writtenAt: step.timestamp } : {}),
  });
}

/** Whether the node was there before the run: of equal content, or another thread's step that is told again. */
function isOlder(run: RunDir, writtenAt: number): boolean {
  const record = readRunRecord(run);
  return record.ok && record.value !== null && writtenAt < record.value.startedAt;
}

/** The record of a run that gave none, with what it said last; keys are taken out of it. */
export function logFailure(road: RunRoad, plan: RunPlan, run: RunDir, fault: Fault, how: RunEnd): void {
  const report = readReport(run);
  const { redactor } = road;
  const said = redactor.value({
    ...common(road, plan, run, how),
    sessionId: report?.sessionId ?? null,
    cwd: report?.cwd ?? null,
  });
  road.log("B8RC5WNE", redactor.text(messageOf(fault)), {
    ...said,
    outcome: how.outcome === null ? "abandoned" : "failed",
    code: fault.code,
    reason: reasonOf(fault),
    retryAfter: "retryAfter" in fault ? (fault.retryAfter ?? null) : null,
    stdout: storable(lastOfStdout(road, run, TAIL)),
    stderr: storable(lastOfStderr(road, run, TAIL)),
    usage: usageJson(report?.usage ?? null),
    extractUsage: usageJson(report?.extractUsage ?? null),
    raw: report?.raw ?? null,
  });
}

/** The record of a run whose step is good and came too late: the thread has ended, or its head has moved. */
export function logRefused(road: RunRoad, plan: RunPlan, result: RunStep, fault: Fault): void {
  const { run, step, how } = result;
  road.log("ZK4T0V9D", messageOf(fault), {
    ...common(road, plan, run, how),
    outcome: "failed",
    code: fault.code,
    step: step.hash,
    usage: usageJson(sessionUsageIn(step.detail)),
  });
}

function common(road: RunRoad, plan: RunPlan, run: RunDir, how: RunEnd) {
  return {
    role: plan.role,
    agent: plan.agent.program,
    run: run.token,
    head: road.chain.head,
    attempt: how.attempt,
    durationMs: how.outcome?.durationMs ?? null,
    exitCode: how.outcome?.kind === "exited" ? how.outcome.code : null,
    signal: how.outcome?.kind === "signaled" ? how.outcome.signal : null,
  };
}

function storable(text: string): string {
  return text.replace(/[\uD800-\uDFFF]/gu, "\ufffd");
}

function usageJson(usage: Usage | null) {
  return usage === null ? null : { ...usage };
}
