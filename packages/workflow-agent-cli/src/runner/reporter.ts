import type { AgentContext } from "@uncaged/workflow-agent-kit";
import type { Adapter } from "../adapters/index.js";
import type { Listener } from "../events/index.js";

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
