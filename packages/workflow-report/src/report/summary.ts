import type { CasRef, ThreadId, UsageSum } from "@uncaged/workflow-protocol";
import type { ThreadReport } from "./types.js";

/** What a list says of a thread. */
export type ThreadSummary = {
  readonly thread: ThreadId;
  readonly workflow: { readonly hash: CasRef; readonly name: string };
  readonly state: ThreadReport["state"];
  /** Epoch ms. */
  readonly startedAt: number;
  readonly lastAt: number;
  readonly steps: number;
  /** Failed runs; `null`: not known. */
  readonly failed: number | null;
  readonly total: UsageSum;
};

export function threadSummary(report: ThreadReport): ThreadSummary {
  const { thread, workflow, state, startedAt, lastAt, steps, failed, total } = report;
  const { hash, name } = workflow;
  return { thread, workflow: { hash, name }, state, startedAt, lastAt, steps: steps.length, failed, total };
}
