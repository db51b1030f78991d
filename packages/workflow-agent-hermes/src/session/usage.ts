import type { SessionFacts } from "@uncaged/workflow-agent-kit";
import type { Totals } from "./types.js";

/** What one run used: hermes counts per session over all its runs, so what was there before is taken off. */
export function usageBetween(before: Totals | null, after: Totals | null): SessionFacts["usage"] {
  if (before === null || after === null) return null;
  const inputTokens = after.input - before.input;
  const outputTokens = after.output - before.output;
  if (inputTokens < 0 || outputTokens < 0) return null;
  const cost = after.costUsd === null || before.costUsd === null ? null : after.costUsd - before.costUsd;
  const costUsd = cost === null || cost < 0 ? null : cost;
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, costUsd };
}

export const NOTHING_USED: Totals = { input: 0, output: 0, costUsd: 0 };

export function addTotals(left: Totals | null, right: Totals | null): Totals | null {
  if (left === null || right === null) return null;
  const costUsd = left.costUsd === null || right.costUsd === null ? null : left.costUsd + right.costUsd;
  return { input: left.input + right.input, output: left.output + right.output, costUsd };
}
