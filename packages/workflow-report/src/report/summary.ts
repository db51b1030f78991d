import type { CasRef, ThreadId, UsageSum } from "@uncaged/workflow-protocol";
import type { ThreadReport } from "./types.js";

/** What a list says of a thread. */
export type ThreadSummary = {
  readonly thread: ThreadId;
  readonly workflow: { readonly hash: CasRef; readonly name: string };
  /** The beginning of it, on one line. */
  readonly task: string;
  readonly state: ThreadReport["state"];
  /** Epoch ms. */
  readonly startedAt: number;
  readonly lastAt: number;
  readonly steps: number;
  /** Failed runs; `null`: not known. */
  readonly failed: number | null;
  readonly total: UsageSum;
};

/** Characters of a task. */
const TASK = 100;

export function threadSummary(report: ThreadReport): ThreadSummary {
  const { thread, workflow, task, state, startedAt, lastAt, steps, failed, total } = report;
  const { hash, name } = workflow;
  // The task of a thread that another one has started has headings.
  const line = lineOf(task.replace(/^#+ .*$/gm, "")) || lineOf(task);
  return {
    ...{ thread, workflow: { hash, name }, state, startedAt, lastAt, steps: steps.length, failed, total },
    task: line.length <= TASK ? line : `${line.slice(0, TASK)}…`,
  };
}

function lineOf(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
