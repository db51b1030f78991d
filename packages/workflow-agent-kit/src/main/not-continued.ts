import type { Usage } from "@uncaged/workflow-protocol";
import { createLogger, sanitizeTerminal } from "@uncaged/workflow-util";
import type { SessionFacts } from "../author/index.js";
import type { Host } from "../host/index.js";
import { addUsage } from "../usage/index.js";
import type { Prepared } from "./types.js";

/** A session of an earlier visit in which this step could not go on. */
export type NotContinued = {
  readonly sessionId: string;
  readonly reason: string;
  /** What was sent into it; "" when nothing was. */
  readonly asked: string;
  /** What the attempt cost, if it is known to have cost anything. */
  readonly usage: Usage | null;
};

/** One line on stderr, and one in the log. */
export function tellNotContinued({ agent, role, open }: Prepared, host: Host, failed: NotContinued): void {
  const line = `${agent.name}: ${sentence(failed)}; a fresh session gets the whole history`;
  host.err(`${sanitizeTerminal(line)}\n`);
  const { storage, thread, redactor } = open;
  const log = createLogger({ dir: storage.paths.logs, now: storage.now, thread });
  const { sessionId, reason } = failed;
  const facts = { agent: agent.name, role, sessionId, reason };
  log("5WD9Z1HR", "a session was not continued", redactor.value(facts));
}

/** The facts of the fresh session behind a turn that tells of the old one. */
export function noteOf(failed: NotContinued, session: SessionFacts): SessionFacts {
  const turn = {
    input: failed.asked,
    output: sentence(failed),
    toolCalls: [],
    tokens: null,
    latencyMs: null,
  };
  const usage = failed.usage === null ? session.usage : addUsage(failed.usage, session.usage);
  return { ...session, turns: [turn, ...session.turns], usage };
}

function sentence({ sessionId, reason }: NotContinued): string {
  return `session ${sessionId} was not continued: ${reason.split("\n", 1)[0]}`;
}
