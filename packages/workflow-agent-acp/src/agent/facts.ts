import type { SessionFacts } from "@uncaged/workflow-agent-kit";
import type { OpenSession } from "../session/index.js";
import { type Trace, usageOf } from "../trace/index.js";
import type { Live } from "./live.js";

type Told = {
  readonly session: OpenSession;
  readonly trace: Trace;
  /** `result.usage`, as it came. */
  readonly usage: unknown;
  readonly cwd: string;
};

type Usage = SessionFacts["usage"];

type Turns = SessionFacts["turns"];

/** What is known of a prompt's session; what the agent has not told, or told of something else, is `null`. */
export function factsOf(live: Live, isNew: boolean, { session, trace, usage, cwd }: Told): SessionFacts {
  const { sessionId, model } = session;
  const turns = trace.turns();
  // What a session has cost is told for all of it, and only a new one began at nothing. Whether the second prompt of a
  // process counts the first one again is not told.
  const told = live.prompts === 1 ? usageOf(usage, isNew ? trace.costUsd() : null) : null;
  const counted = live.introduced?.countsLastCall ? ofLastTurn(turns, told) : { turns, usage: told };
  return { sessionId, cwd, model, ...counted };
}

/** The usage of the last call of the model is not that of a prompt with several. */
function ofLastTurn(turns: Turns, usage: Usage): { readonly turns: Turns; readonly usage: Usage } {
  if (usage === null || turns.length <= 1) return { turns, usage };
  const tokens = { input: usage.inputTokens, output: usage.outputTokens };
  return {
    turns: turns.map((turn, index) => (index === turns.length - 1 ? { ...turn, tokens } : turn)),
    usage: null,
  };
}
