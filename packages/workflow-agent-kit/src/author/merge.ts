import { addUsage } from "../usage/index.js";
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
