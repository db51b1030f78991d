import type { Usage } from "@uncaged/workflow-protocol";
import type { SessionFacts } from "./types.js";

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

/** A sum with an unknown part would claim too little: it is unknown. */
function addUsage(first: Usage | null, next: Usage | null): Usage | null {
  if (first === null || next === null) return null;
  const costUsd = first.costUsd === null || next.costUsd === null ? null : first.costUsd + next.costUsd;
  return {
    inputTokens: first.inputTokens + next.inputTokens,
    outputTokens: first.outputTokens + next.outputTokens,
    totalTokens: first.totalTokens + next.totalTokens,
    costUsd,
  };
}
