import { type Fault, messageOf, type Usage } from "@uncaged/workflow-protocol";
import { type RunDir, readReport, readSessionUsage, stderrTail, stdoutTail } from "@uncaged/workflow-store";
import type { ChildOutcome } from "@uncaged/workflow-util";
import type { Road, RunPlan, VerifiedStep } from "./types.js";

const TAIL_CHARACTERS = 4096;

/** The record of a run that gave a step. */
export function logStep(road: Road, plan: RunPlan, run: RunDir, step: VerifiedStep, how: RunEnd): void {
  road.log("7Q2M4KXA", `${plan.role} recorded as ${step.hash}`, {
    ...common(road, plan, run, how),
    outcome: how.outcome === null ? "adopted" : "step",
    step: step.hash,
    usage: usageJson(readSessionUsage(road.storage.cas, step.payload.detail)),
  });
}

/** The record of a run that gave none, with what it said last. */
export function logFailure(road: Road, plan: RunPlan, run: RunDir, fault: Fault, how: RunEnd): void {
  const report = readReport(run);
  road.log("B8RC5WNE", messageOf(fault), {
    ...common(road, plan, run, how),
    outcome: how.outcome === null ? "abandoned" : "failed",
    code: fault.code,
    stdout: tail(stdoutTail(run)),
    stderr: tail(stderrTail(run, TAIL_CHARACTERS)),
    usage: usageJson(report?.usage ?? null),
    sessionId: report?.sessionId ?? null,
    raw: report?.raw ?? null,
  });
}

/** `outcome` is `null` for a run whose uwf is gone: how its agent ended nobody saw. */
export type RunEnd = { readonly outcome: ChildOutcome | null; readonly attempt: number };

function common(road: Road, plan: RunPlan, run: RunDir, how: RunEnd) {
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

function tail(text: string): string {
  return text.slice(-TAIL_CHARACTERS).replace(/[\uD800-\uDFFF]/gu, "\ufffd");
}

function usageJson(usage: Usage | null) {
  return usage === null ? null : { ...usage };
}
