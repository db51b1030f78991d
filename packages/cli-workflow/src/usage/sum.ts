import type { Usage, UsageSum } from "@uncaged/workflow-protocol";

/** What is known of these runs, added up, and of how many it is not known. */
export function sumOf(usages: readonly (Usage | null)[]): UsageSum {
  const tokens = usages.filter((usage) => usage !== null);
  const costs = tokens.flatMap(({ costUsd }) => (costUsd === null ? [] : [costUsd]));
  const nothing = usages.length === 0;
  return {
    inputTokens: sum(
      tokens.map(({ inputTokens }) => inputTokens),
      nothing,
    ),
    outputTokens: sum(
      tokens.map(({ outputTokens }) => outputTokens),
      nothing,
    ),
    totalTokens: sum(
      tokens.map(({ totalTokens }) => totalTokens),
      nothing,
    ),
    costUsd: sum(costs, nothing),
    unknown: { tokens: usages.length - tokens.length, cost: usages.length - costs.length },
  };
}

/** `null` where there are runs and none of them tells; no run at all has used nothing. */
function sum(values: readonly number[], nothing: boolean): number | null {
  if (values.length === 0) return nothing ? 0 : null;
  return rounded(values.reduce((total, value) => total + value, 0));
}

/** Costs are added as binary fractions: 0.1 + 0.2 is to be 0.3. */
function rounded(value: number): number {
  return Math.round(value * 1e10) / 1e10;
}
