import type { Usage } from "@uncaged/workflow-protocol";

type Untyped = Readonly<Partial<Record<keyof Usage, unknown>>>;

/** Tokens and money as an agent told them; `null` when the three counts are not all there. */
export function asUsage(value: unknown): Usage | null {
  if (typeof value !== "object" || value === null) return null;
  const { inputTokens, outputTokens, totalTokens, costUsd }: Untyped = value;
  if (!isAmount(inputTokens) || !isAmount(outputTokens) || !isAmount(totalTokens)) return null;
  return { inputTokens, outputTokens, totalTokens, costUsd: isAmount(costUsd) ? costUsd : null };
}

function isAmount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
