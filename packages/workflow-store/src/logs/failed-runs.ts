import type { CasRef, Fault, Result, RunFailure, ThreadId } from "@uncaged/workflow-protocol";
import { attempt } from "../attempt/index.js";
import type { Storage } from "../storage/index.js";
import { logDays, readLogDay } from "./read.js";
import type { FailedRuns, LogEntry } from "./types.js";

/** A thread where it stands: `since` is when it came there, epoch ms. */
type Standing = { readonly thread: ThreadId; readonly head: CasRef; readonly since: number };

/** The failed runs of a thread since its head, as the log tells them. Only the days since then are read. */
export function readFailedRuns(
  storage: Storage,
  { thread, head, since }: Standing,
): Result<FailedRuns, Fault> {
  const days = logDays(storage, since);
  if (!days.ok) return days;
  return attempt(() => {
    const runs = { failed: 0, abandoned: 0 };
    let last: RunFailure | null = null;
    const told = new Set<unknown>();
    for (const day of days.value) {
      for (const entry of readLogDay(day, { since, thread })) {
        const run = entry === null || !startedAt(entry, head) ? null : asFailedRun(entry);
        if (run === null || entry === null || isRepeated(entry, told)) continue;
        runs[run.outcome] += 1;
        last = run;
      }
    }
    return { ...runs, last };
  });
}

/** Lines of the first uwf name no head: those since the head's time are of its runs. */
function startedAt({ line }: LogEntry, head: CasRef): boolean {
  return line.head === undefined || line.head === head;
}

/** A uwf that dies between the line of a run and its removal leaves it to the next one, which tells of it again. */
function isRepeated({ line: { run } }: LogEntry, told: Set<unknown>): boolean {
  if (typeof run !== "string") return false;
  const isTold = told.has(run);
  told.add(run);
  return isTold;
}

function asFailedRun({ line, content, timestamp }: LogEntry): RunFailure | null {
  const { outcome, code, role, agent, exitCode, stderr } = line;
  if (outcome !== "failed" && outcome !== "abandoned") return null;
  return {
    outcome,
    code: textOf(code),
    message: content,
    role: textOf(role),
    agent: textOf(agent),
    exitCode: typeof exitCode === "number" ? exitCode : null,
    stderr: textOf(stderr),
    timestamp,
  };
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
