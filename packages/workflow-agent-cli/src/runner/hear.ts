import type { AgentContext, SessionFacts } from "@uncaged/workflow-agent-kit";
import type { Adapter } from "../adapters/index.js";
import { recordIn, type Trace } from "../events.js";
import type { Listener } from "../trace.js";

/** The events in one line of stdout; none if it is not a JSON object. */
export function hearLine(adapter: Adapter, listener: Listener, line: string): void {
  hear(adapter, listener, line);
}

/** The whole of stdout as one JSON object over several lines, if no single line is one. */
export function hearWhole(adapter: Adapter, listener: Listener, stdout: string): void {
  if (!listener.hasHeard()) hear(adapter, listener, stdout.trim());
}

function hear(adapter: Adapter, listener: Listener, text: string): void {
  const record = recordIn(text);
  if (record !== null) for (const event of adapter.events(record)) listener.hear(event);
}

// Some CLIs count over the whole session: subtract the usage of earlier processes.

/** The usage of a session, as its CLI counts. */
export type Total = { readonly input: number; readonly output: number };

type Counted = {
  readonly trace: Trace;
  /** The session that was resumed; `null`: a new one. */
  readonly resume: string | null;
  readonly context: Pick<AgentContext, "sessionUsage">;
  /** The totals that this process has seen, by session. */
  readonly totals: Map<string, Total>;
  readonly counted: SessionFacts["usage"];
};

/** This process's part of the session's total; `null` if the total before it is unknown. */
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

/** The session's total from the thread's steps; `null` if a part is unknown. */
async function recorded(sessionId: string, { sessionUsage }: Counted["context"]): Promise<Total | null> {
  const usage = await sessionUsage(sessionId);
  return usage === null ? null : { input: usage.inputTokens, output: usage.outputTokens };
}

/** The shortest time between two usage reports, in ms: each one walks the whole trace. */
const EVERY_MS = 1000;

type ListenerContext = {
  readonly adapter: Adapter;
  readonly context: Pick<AgentContext, "report" | "signal">;
  /** A monotonic clock, in ms. */
  readonly now: () => number;
};

/**
 * Reports the usage of the running process and its model's last words from time to time, and at once on abort, since it may be killed before it
 * does so itself. Totals of a session are reported only at the end.
 */
export function reporter({ adapter, context, now }: ListenerContext, listener: Listener): () => void {
  let last = Number.NEGATIVE_INFINITY;
  const tell = (): void => {
    const { sessionId, model, usage, turns } = listener.trace();
    const words = turns.findLast(({ output }) => output.trim() !== "")?.output ?? "";
    context.report({ sessionId, model, usage: adapter.usageScope === "run" ? usage : null, words });
  };
  context.signal.addEventListener("abort", tell, { once: true });
  return () => {
    if (now() - last < EVERY_MS) return;
    last = now();
    tell();
  };
}
