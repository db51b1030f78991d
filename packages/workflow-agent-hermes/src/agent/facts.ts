import type { Trace } from "@uncaged/workflow-agent-cli";
import type { SessionFacts } from "@uncaged/workflow-agent-kit";
import type { WholeRun } from "../hermes/index.js";
import { type HermesSession, NOTHING_USED, type Totals, turnsOf, usageBetween } from "../session/index.js";
import type { Mark } from "./types.js";

export const FRESH: Mark = { totals: NOTHING_USED, lastMessage: -1 };

export function markOf({
  totals,
  messages,
}: {
  readonly totals: Totals | null;
  readonly messages: HermesSession["messages"];
}): Mark {
  return { totals, lastMessage: Math.max(-1, ...messages.map(({ id }) => id)) };
}

/** What is known of one call, which began where `before` stands. `null`: not known. */
export type Known = {
  readonly whole: WholeRun | null;
  readonly before: Mark | null;
  readonly trace: Trace;
  readonly sessionId: string | null;
  readonly isFresh: boolean;
  readonly cwd: string;
};

/**
 * The session as hermes keeps it has every tool's result as it was; the stream, whose results are cut, does where it
 * cannot be had. Whether the stream's tokens count a resumed session from its beginning is not documented.
 */
export function factsOf({ whole, before, trace, sessionId, isFresh, cwd }: Known): SessionFacts {
  if (whole === null) {
    const { model, turns, usage } = trace;
    return { sessionId, cwd, model, turns, usage: isFresh ? usage : null };
  }
  const added = whole.messages.filter(({ id }) => id > (before?.lastMessage ?? -1));
  return {
    sessionId,
    cwd: whole.session.cwd ?? cwd,
    model: whole.session.model ?? trace.model,
    turns: turnsOf(added),
    usage: usageBetween(before?.totals ?? null, whole.totals),
  };
}
