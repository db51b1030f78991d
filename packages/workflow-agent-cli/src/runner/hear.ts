import type { AgentContext, SessionFacts } from "@uncaged/workflow-agent-kit";
import type { Adapter } from "../adapters/index.js";
import { recordIn, type Trace } from "../events.js";
import type { Listener } from "../trace.js";

/** What one line of a CLI's stdout says; a line that is no JSON object says nothing. */
export function hearLine(adapter: Adapter, listener: Listener, line: string): void {
  hear(adapter, listener, line);
}

/** The whole of stdout, where no line of it said anything: one JSON object over several lines. */
export function hearWhole(adapter: Adapter, listener: Listener, stdout: string): void {
  if (!listener.hasHeard()) hear(adapter, listener, stdout.trim());
}

function hear(adapter: Adapter, listener: Listener, text: string): void {
  const record = recordIn(text);
  if (record !== null) for (const event of adapter.events(record)) listener.hear(event);
}

// Some CLIs count over the whole session: what earlier processes of it used is taken off.

/** What a session had used, as its CLI counts. */
export type Total = { readonly input: number; readonly output: number };

type Counted = {
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

/** At most so often uwf is told what has been used, in ms: each time the whole trace is looked at. */
const EVERY_MS = 1000;

type Place = {
  readonly adapter: Adapter;
  readonly context: Pick<AgentContext, "report" | "signal">;
  /** A clock: ms. */
  readonly now: () => number;
};

/**
 * Tells now and then what the process under way has used, and at once when it is to end: it may not live to say so.
 * Counts that run on over a session are told at the end alone.
 */
export function reporter({ adapter, context, now }: Place, listener: Listener): () => void {
  let last = Number.NEGATIVE_INFINITY;
  const tell = (): void => {
    const { sessionId, model, usage } = listener.trace();
    context.report({ sessionId, model, usage: adapter.usageScope === "run" ? usage : null });
  };
  context.signal.addEventListener("abort", tell, { once: true });
  return () => {
    if (now() - last < EVERY_MS) return;
    last = now();
    tell();
  };
}
