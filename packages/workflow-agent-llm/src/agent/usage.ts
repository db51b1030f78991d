import type { Completion, SessionFacts } from "@uncaged/workflow-agent-kit";

type Usage = SessionFacts["usage"];

/** With one answer more; `null`, not known, as soon as one answer did not tell. `first`: there was none before. */
export function addUsage(sum: Usage, { tokens, costUsd }: Completion, first: boolean): Usage {
  if (tokens === null || (sum === null && !first)) return null;
  const before = sum ?? { inputTokens: 0, outputTokens: 0, totalTokens: 0, costUsd: 0 };
  const cost = costUsd === null || before.costUsd === null ? null : before.costUsd + costUsd;
  return {
    inputTokens: before.inputTokens + tokens.input,
    outputTokens: before.outputTokens + tokens.output,
    totalTokens: before.totalTokens + tokens.input + tokens.output,
    costUsd: cost,
  };
}
