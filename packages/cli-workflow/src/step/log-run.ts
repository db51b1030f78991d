import { type Fault, messageOf, type Usage } from "@uncaged/workflow-protocol";
import { type RunDir, readReport, readSessionUsage } from "@uncaged/workflow-store";
import type { ChildOutcome } from "@uncaged/workflow-util";
import { lastOfStderr, lastOfStdout } from "./last-words.js";
import type { RunPlan, RunRoad, VerifiedStep } from "./types.js";

/** Bytes of what a failed agent wrote last. */
const TAIL = 4096;

/** The record of a run that gave a step. */
export function logStep(road: RunRoad, plan: RunPlan, run: RunDir, step: VerifiedStep, how: RunEnd): void {
  road.log("7Q2M4KXA", `${plan.role} recorded as ${step.hash}`, {
    ...common(road, plan, run, how),
    outcome: how.outcome === null ? "adopted" : "step",
    step: step.hash,
    usage: usageJson(readSessionUsage(road.storage.cas, step.payload.detail)),
  });
}

/** The record of a run that gave none, with what it said last; keys are taken out of it. */
export function logFailure(road: RunRoad, plan: RunPlan, run: RunDir, fault: Fault, how: RunEnd): void {
  const report = readReport(run);
  const { redactor } = road;
  const said = redactor.value({
    ...common(road, plan, run, how),
    sessionId: report?.sessionId ?? null,
  });
  road.log("B8RC5WNE", redactor.text(messageOf(fault)), {
    ...said,
    outcome: how.outcome === null ? "abandoned" : "failed",
    code: fault.code,
    stdout: storable(lastOfStdout(road, run, TAIL)),
    stderr: storable(lastOfStderr(road, run, TAIL)),
    usage: usageJson(report?.usage ?? null),
    raw: report?.raw ?? null,
  });
}

/** `outcome` is `null` for a run whose uwf is gone: how its agent ended nobody saw. */
export type RunEnd = { readonly outcome: ChildOutcome | null; readonly attempt: number };

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
