import { type Fault, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import { asUsage } from "../json/index.js";
import type { Storage } from "../storage/index.js";
import { type FailedRunEntry, failedRunsOf, textOf } from "./failed-runs.js";
import type { FailedRunUsage } from "./types.js";

/** What the failed runs of a thread since then have cost, oldest first. Only the days since then are read. */
export function readFailedUsage(
  storage: Storage,
  query: { readonly thread: ThreadId; readonly since: number },
): Result<readonly FailedRunUsage[], Fault> {
  const found = failedRunsOf(storage, query, () => true);
  return found.ok ? ok(found.value.map(asFailedUsage)) : found;
}

function asFailedUsage({ line, outcome, timestamp }: FailedRunEntry): FailedRunUsage {
  const { head, role, agent, code, sessionId, durationMs } = line;
  return {
    outcome,
    head: textOf(head),
    role: textOf(role),
    agent: textOf(agent),
    code: textOf(code),
    sessionId: textOf(sessionId),
    usage: asUsage(line.usage),
    extractUsage: asUsage(line.extractUsage),
    durationMs: typeof durationMs === "number" ? durationMs : null,
    timestamp,
  };
}
