import type { AgentReply, SessionFacts } from "@uncaged/workflow-agent-kit";
import type { Entry } from "../scenario/index.js";

/** What an entry tells of its session; `null` where it tells nothing. */
export function facts({ sessionId, usage }: Entry): Partial<SessionFacts> | null {
  return sessionId === null && usage === null ? null : { sessionId, usage };
}

/** The reply to the n-th message that asks for the header again. */
export function correct(entry: Entry, role: string, number: number): AgentReply {
  const { corrections } = entry;
  const text = corrections[Math.min(number, corrections.length) - 1];
  if (text !== undefined) return { kind: "text", text, session: { sessionId: entry.sessionId } };
  return failure(role, "has no continue in its entry");
}

export function lose(role: string, sessionId: string): AgentReply {
  return { ...failure(role, `has lost session ${sessionId}, as the scenario says,`), sessionLost: true };
}

function failure(role: string, outcome: string): Extract<AgentReply, { readonly kind: "failed" }> {
  return { kind: "failed", fault: { code: "AGENT_FAILED", command: "uwf-mock", role, outcome, stderr: "" } };
}
