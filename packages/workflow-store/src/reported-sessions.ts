import { isAbsolute } from "node:path";
import { isHash } from "@uncaged/json-cas";
import { type CasRef, isSessionId, type ThreadId } from "@uncaged/workflow-protocol";
import { attempt } from "./attempt.js";
import { logDays, readLogDay } from "./logs.js";
import type { Storage } from "./storage.js";

/** A session that a run of this root reported; the run gave a step. */
export type ReportedSession = {
  readonly sessionId: string;
  /** The absolute path of the folder that the session belongs to. */
  readonly cwd: string;
  readonly role: string;
  /** The program as it was started. */
  readonly agent: string;
};

/**
 * The sessions of a thread's steps since then, by the step, as uwf logged them when it moved the head. Nodes come from
 * anywhere (an import, a remote, an agent's own writing); lines of the log only from runs that this root started. A log
 * that is gone or cannot be read tells of none.
 */
export function readReportedSessions(
  storage: Storage,
  query: { readonly thread: ThreadId; readonly since: number },
): ReadonlyMap<string, ReportedSession> {
  const days = logDays(storage, query.since);
  const read = attempt(() => {
    const sessions = new Map<CasRef, ReportedSession>();
    for (const day of days.ok ? days.value : []) {
      for (const entry of readLogDay(day, query)) {
        const session = entry === null ? null : sessionIn(entry.line);
        if (session !== null) sessions.set(session.step, session);
      }
    }
    return sessions;
  });
  return read.ok ? read.value : new Map();
}

function sessionIn(
  line: Readonly<Record<string, unknown>>,
): (ReportedSession & { readonly step: CasRef }) | null {
  const { outcome, step, sessionId, cwd, role, agent } = line;
  if (outcome !== "step" && outcome !== "adopted") return null;
  if (!isHash(step) || typeof role !== "string" || typeof agent !== "string") return null;
  if (!isSessionId(sessionId) || typeof cwd !== "string" || !isAbsolute(cwd)) return null;
  return { step, sessionId, cwd, role, agent };
}
