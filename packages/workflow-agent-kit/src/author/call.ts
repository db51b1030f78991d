import { type Fault, fault, messageOf } from "@uncaged/workflow-protocol";
import { FaultError } from "../fault.js";
import { addUsage } from "../usage.js";
import { asReply, NOTHING_KNOWN } from "./gate.js";
import type { Agent, AgentContext, Reply, SessionFacts } from "./types.js";

/** How a call into the author's code ended; the stack is for UWF_DEBUG=1. */
export type Called = { readonly reply: Reply; readonly stack: string | null };

export async function callRun(agent: Agent, context: AgentContext): Promise<Called> {
  return call(agent, context, "run", () => agent.run(context));
}

/** `null`: the author gave no `continue`. */
export async function callContinue(
  agent: Agent,
  context: AgentContext,
  sessionId: string,
  message: string,
): Promise<Called | null> {
  const resume = agent.continue;
  if (resume === null) return null;
  return call(agent, context, "continue", () => resume(sessionId, message, context));
}

async function call(
  agent: Agent,
  context: AgentContext,
  from: "run" | "continue",
  work: () => unknown,
): Promise<Called> {
  const { name: command } = agent;
  const { role } = context;
  try {
    const reply = asReply(await work(), from);
    if (reply.ok) return { reply: reply.value, stack: null };
    return failed(fault("AGENT_BAD_RESULT", { command, role, problem: reply.error }), null);
  } catch (error) {
    if (error instanceof FaultError) return failed(error.fault, null);
    const outcome = `threw "${sentenceOf(error)}" in ${from}`;
    return failed(fault("AGENT_FAILED", { command, role, outcome, stderr: "" }), stackOf(error));
  }
}

function failed(cause: Fault, stack: string | null): Called {
  return { reply: { kind: "failed", fault: cause, sessionLost: false, session: NOTHING_KNOWN }, stack };
}

/** Puts into words what the author's code has thrown, be it an error or any other value. */
function sentenceOf(error: unknown): string {
  if (error instanceof Error) return error.message || error.name;
  return typeof error === "string" ? error : `a value of type ${typeof error}`;
}

function stackOf(error: unknown): string | null {
  return error instanceof Error ? (error.stack ?? null) : null;
}

/** A reply's failure in one line, `null` if it is not one. */
export function failureLine(reply: Reply): string | null {
  return reply.kind === "failed" ? messageOf(reply.fault) : null;
}

/** The facts of a session and of its continuation as one: turns follow each other, usage adds up. */
export function mergeFacts(first: SessionFacts, next: SessionFacts): SessionFacts {
  return {
    sessionId: next.sessionId ?? first.sessionId,
    cwd: next.cwd ?? first.cwd,
    model: next.model ?? first.model,
    turns: [...first.turns, ...next.turns],
    usage: addUsage(first.usage, next.usage),
  };
}
