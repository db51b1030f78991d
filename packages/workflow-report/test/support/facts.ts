import type { CasRef, ThreadId } from "@uncaged/workflow-protocol";
import type { FailureFacts, StepFacts, ThreadFacts } from "../../src/index.js";
import { workflow } from "./workflows.js";

/** 2026-01-31 08:00 UTC. */
export const T0 = Date.UTC(2026, 0, 31, 8);

export const MINUTE = 60_000;

/** Hashes are only compared here. */
export const hash = (name: string): CasRef => name as CasRef;

/** Paid, as agents tell it. */
export const used = (costUsd: number | null) => ({
  inputTokens: 1000,
  outputTokens: 100,
  totalTokens: 1100,
  costUsd,
});

/** A step that took a minute, recorded so many minutes after the start. */
export function step(role: string, minute: number, more: Partial<StepFacts> = {}): StepFacts {
  return {
    hash: hash(`${role}-${minute}`),
    role,
    agent: "uwf-test --option",
    timestamp: T0 + minute * MINUTE,
    output: { text: `${role} at ${minute}` },
    reply: null,
    model: null,
    durationMs: MINUTE,
    usage: used(0.25),
    extract: null,
    answer: null,
    free: false,
    cwd: null,
    texts: [],
    files: [],
    difference: null,
    decision: [],
    ...more,
  };
}

/** A run that failed after half a minute. */
export function failure(role: string, minute: number, more: Partial<FailureFacts> = {}): FailureFacts {
  return {
    outcome: "failed",
    role,
    agent: "uwf-test",
    code: "AGENT_FAILED",
    message: "it exited with 3",
    stderr: null,
    head: null,
    usage: null,
    extractUsage: null,
    durationMs: MINUTE / 2,
    timestamp: T0 + minute * MINUTE,
    free: false,
    ...more,
  };
}

/** A thread of a writer and a reviewer. */
export function facts(steps: readonly StepFacts[], more: Partial<ThreadFacts> = {}): ThreadFacts {
  const source = workflow({
    $START: ["writer"],
    writer: ["reviewer"],
    reviewer: ["rejected -> writer", "$END"],
  });
  return {
    thread: "01KAJ5E8ZJ4N7XK3M9T2V6W8YB" as ThreadId,
    startedAt: T0,
    workflow: { hash: hash("0WORKFLOW0000"), source },
    start: { hash: hash("start"), task: "Write a note", at: 0 },
    state: "active",
    ended: null,
    at: { node: "reviewer", state: "next" },
    held: null,
    decision: [],
    steps,
    failures: [],
    children: [],
    ...more,
  };
}
