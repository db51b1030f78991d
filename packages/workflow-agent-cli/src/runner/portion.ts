import type { AgentContext, SessionFacts } from "@uncaged/workflow-agent-kit";
import type { Trace } from "../events/index.js";

// Some CLIs count over the whole session: what earlier processes of it used is taken off.

/** What a session had used, as its CLI counts. */
export type Total = { readonly input: number; readonly output: number };

export type Counted = {
  readonly trace: Trace;
  /** The session that was gone on in, `null` for a new one. */
  readonly resume: string | null;
  readonly context: Pick<AgentContext, "sessionUsage">;
  /** What this process has seen of each session. */
  readonly totals: Map<string, Total>;
  readonly counted: SessionFacts["usage"];
};

/** This process's part of what the session counts; `null` when what was there before is not known. */
export async function portion({
  trace,
  resume,
  context,
  totals,
  counted,
}: Counted): Promise<SessionFacts["usage"]> {
  if (counted === null) return null;
  const before = resume === null ? NOTHING : (totals.get(resume) ?? (await recorded(resume, context)));
  const id = trace.sessionId ?? resume;
  if (id !== null) totals.set(id, { input: counted.inputTokens, output: counted.outputTokens });
  if (before === null) return null;
  const inputTokens = counted.inputTokens - before.input;
  const outputTokens = counted.outputTokens - before.output;
  if (inputTokens < 0 || outputTokens < 0) return null;
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, costUsd: null };
}

const NOTHING: Total = { input: 0, output: 0 };

/** What the thread knows of the session; `null` when it does not know all of it. */
async function recorded(sessionId: string, { sessionUsage }: Counted["context"]): Promise<Total | null> {
  const usage = await sessionUsage(sessionId);
  return usage === null ? null : { input: usage.inputTokens, output: usage.outputTokens };
}
