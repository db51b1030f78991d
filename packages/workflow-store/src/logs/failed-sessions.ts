import { type Fault, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import type { Storage } from "../storage/index.js";
import { type FailedRunEntry, failedRunsOf, textOf } from "./failed-runs.js";
import type { FailedSession } from "./types.js";

/** The runs of a thread since then that gave no step and told their session, oldest first. Only the days since then are read. */
export function readFailedSessions(
  storage: Storage,
  query: { readonly thread: ThreadId; readonly since: number },
): Result<readonly FailedSession[], Fault> {
  const found = failedRunsOf(storage, query, ({ line }) => typeof line.sessionId === "string");
  return found.ok ? ok(found.value.map(asFailedSession)) : found;
}

function asFailedSession({ line, content }: FailedRunEntry): FailedSession {
  const { head, role, agent, code, reason, sessionId, cwd } = line;
  return {
    sessionId: textOf(sessionId) ?? "",
    cwd: textOf(cwd),
    head: textOf(head),
    role: textOf(role),
    agent: textOf(agent),
    code: textOf(code),
    reason: textOf(reason),
    message: content,
  };
}
