import { realpathSync } from "node:fs";
import { readSession, type SessionSummary, type StepNode } from "@uncaged/workflow-store";
import type { OpenThread, Tip } from "../thread/index.js";
import { failuresIn } from "./failures.js";
import { stepsOfThread } from "./own-steps.js";
import type { Visit, Visitor } from "./types.js";

const NONE: Visit = { kind: "none" };

/**
 * The session in which this step can go on. The newest step of this role by this agent decides; a step of the role by
 * another agent is one of those that have happened since. Throws `FaultError` where the history is damaged.
 */
export function findVisit(open: OpenThread, { agent, role, cwd }: Visitor): Visit {
  const since: StepNode[] = [];
  for (const step of stepsOfThread(open)) {
    if (step.payload.role === role && step.payload.agent === agent) {
      return unlessFailing(open, visitOf(sessionAt(open, step), since, cwd));
    }
    since.push(step);
  }
  return NONE;
}

/** A detail that cannot be read leaves no session: the step can begin a new one. */
export function sessionAt({ storage }: Pick<Tip, "storage">, { payload }: StepNode): SessionSummary | null {
  const session = readSession(storage.cas, payload.detail);
  return session.ok ? session.value : null;
}

function visitOf(session: SessionSummary | null, since: readonly StepNode[], here: string): Visit {
  if (session === null || session.sessionId === null || session.cwd === null) return NONE;
  const { sessionId, cwd } = session;
  return isSameFolder(cwd, here)
    ? { kind: "session", sessionId, since }
    : { kind: "elsewhere", sessionId, cwd };
}

/** The most runs of one step that may fail in a session: it may be what fails (too long for its model, damaged). */
const MOST_FAILURES = 2;

function unlessFailing(open: OpenThread, visit: Visit): Visit {
  if (visit.kind !== "session") return visit;
  const { sessionId } = visit;
  const failures = failuresIn(open, sessionId);
  return failures < MOST_FAILURES ? visit : { kind: "failing", sessionId, failures };
}

/** Agents tell their folder as they were given it, which may be by way of a link. */
function isSameFolder(one: string, other: string): boolean {
  return one === other || realPath(one) === realPath(other);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
