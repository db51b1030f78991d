import type { AgentContext, SessionFacts } from "@uncaged/workflow-agent-kit";
import { count, inner, isRecord, type JsonRecord, type Trace, text } from "../events/index.js";

// Some CLIs count over the whole session: what earlier processes of it used is taken off.

/** What a session had used, as its CLI counts. */
export type Total = { readonly input: number; readonly output: number };

export type Counted = {
  readonly trace: Trace;
  /** The session that was gone on in, `null` for a new one. */
  readonly resume: string | null;
  readonly context: Pick<AgentContext, "steps" | "store">;
  /** What this process has seen of each session. */
  readonly totals: Map<string, Total>;
  readonly counted: SessionFacts["usage"];
};

/** This process's part of what the session counts; `null` when what was there before is not known. */
export function portion({ trace, resume, context, totals, counted }: Counted): SessionFacts["usage"] {
  if (counted === null) return null;
  const before = resume === null ? NOTHING : (totals.get(resume) ?? recorded(resume, context));
  const id = trace.sessionId ?? resume;
  if (id !== null) totals.set(id, { input: counted.inputTokens, output: counted.outputTokens });
  if (before === null) return null;
  const inputTokens = counted.inputTokens - before.input;
  const outputTokens = counted.outputTokens - before.output;
  if (inputTokens < 0 || outputTokens < 0) return null;
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, costUsd: null };
}

const NOTHING: Total = { input: 0, output: 0 };

/** The sum over the thread's steps of this session; `null` when one of them does not know its part. */
function recorded(sessionId: string, { steps, store }: Counted["context"]): Total | null {
  const parts = steps
    .map(({ detail }) => payloadOf(store.get(detail)))
    .filter((payload) => text(payload, "sessionId") === sessionId)
    .map(usageIn);
  return parts.reduce<Total | null>(
    (sum, part) => (sum === null || part === null ? null : add(sum, part)),
    NOTHING,
  );
}

function payloadOf(node: unknown): JsonRecord {
  return isRecord(node) ? inner(node, "payload") : {};
}

function usageIn(payload: JsonRecord): Total | null {
  const usage = inner(payload, "usage");
  const input = count(usage, "inputTokens");
  const output = count(usage, "outputTokens");
  return input === null || output === null ? null : { input, output };
}

function add(left: Total, right: Total): Total {
  return { input: left.input + right.input, output: left.output + right.output };
}
