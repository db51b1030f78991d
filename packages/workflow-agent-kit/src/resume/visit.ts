import { realpathSync } from "node:fs";
import { programOf } from "@uncaged/workflow-protocol";
import { type FailedSession, readSession, type SessionSummary, type StepNode } from "@uncaged/workflow-store";
import type { OpenThread, Self, Tip } from "../thread/index.js";
import { stepsOfThread } from "./own-steps.js";
import type { Visit, Visitor } from "./types.js";

const NONE: Visit = { kind: "none" };

/**
 * The session in which this step can go on: what the last failed run of the step has done in its session is not to be
 * paid for twice. Throws `FaultError` where the history is damaged.
 */
export function findVisit(open: OpenThread, visitor: Visitor): Visit {
  const { attempts } = visitor;
  const visit = lastVisit(open, visitor);
  const attempt = attempts.at(-1) ?? null;
  if (attempt === null) return visit;
  const found =
    visit.kind !== "none" && visit.sessionId === attempt.sessionId ? visit : begunBy(attempt, visitor, visit);
  if (found.kind !== "session" || found.sessionId !== attempt.sessionId) return found;
  const reason = whyFailing(attempts, attempt);
  return reason === null ? { ...found, attempt } : { kind: "failing", sessionId: found.sessionId, reason };
}

/** A session that no step tells of. Lines of an older uwf name no folder: it might be another one. */
function begunBy({ sessionId, cwd }: FailedSession, { cwd: here }: Visitor, visit: Visit): Visit {
  if (cwd === null) return visit;
  return isSameFolder(cwd, here)
    ? { kind: "session", sessionId, since: null, attempt: null }
    : { kind: "elsewhere", sessionId, cwd };
}

/** The most runs of one step that may fail in a session: it may be what fails (damaged, on a wrong track). */
const MOST_FAILURES = 2;

/** One that somebody interrupted is no failure of the session. */
function whyFailing(attempts: readonly FailedSession[], { sessionId, reason }: FailedSession): string | null {
  if (reason === "context-overflow") return "it has grown too long for its model";
  const inSession = attempts.filter((run) => run.sessionId === sessionId && run.code !== "INTERRUPTED");
  return inSession.length < MOST_FAILURES ? null : `${inSession.length} runs of this step have failed in it`;
}

/**
 * The newest step of this role by this agent decides; a step of the role by another agent is one of those that have
 * happened since.
 */
function lastVisit(open: OpenThread, { agent, role, cwd }: Visitor): Visit {
  const since: StepNode[] = [];
  for (const step of stepsOfThread(open)) {
    const own = step.payload.role === role ? ownSession(open, step, agent) : null;
    if (own !== null) return visitOf(own.session, since, cwd);
    since.push(step);
  }
  return NONE;
}

/**
 * The session of a step that this agent took; `null`: another one did. Steps that were taken without uwf, or by an
 * older one, tell the agent's name in place of its command. A program like `node` or `npx` runs many agents: what the
 * session calls its agent tells them apart.
 */
export function ownSession(
  tip: Pick<Tip, "storage">,
  step: StepNode,
  { name, program }: Self,
): { readonly session: SessionSummary | null } | null {
  const { agent } = step.payload;
  if (agent !== name && programOf(agent) !== program) return null;
  const session = sessionAt(tip, step);
  return session === null || session.agent === name ? { session } : null;
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
    ? { kind: "session", sessionId, since, attempt: null }
    : { kind: "elsewhere", sessionId, cwd };
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
