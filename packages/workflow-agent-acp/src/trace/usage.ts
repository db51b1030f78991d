import type { SessionFacts } from "@uncaged/workflow-agent-kit";
import { amountOf, isFields } from "../wire/index.js";

type Usage = NonNullable<SessionFacts["usage"]>;

/**
 * The `usage` of a prompt's result; `null` where the agent tells none. Everything that the model read counts as input,
 * cached or not, and what it thought as output. The protocol counts these apart; an agent that counts them in shows
 * it by its total.
 */
export function usageOf(told: unknown, costUsd: number | null): Usage | null {
  if (!isFields(told)) return null;
  const input = amountOf(told.inputTokens);
  const output = amountOf(told.outputTokens);
  if (input === null || output === null) return null;
  const total = amountOf(told.totalTokens);
  const cached = (amountOf(told.cachedReadTokens) ?? 0) + (amountOf(told.cachedWriteTokens) ?? 0);
  const thought = amountOf(told.thoughtTokens) ?? 0;
  const apart = total === null ? null : total - input - output;
  const inputTokens = input + (apart === 0 || apart === thought ? 0 : cached);
  const outputTokens = output + (apart === 0 || apart === cached ? 0 : thought);
  return { inputTokens, outputTokens, totalTokens: total ?? inputTokens + outputTokens, costUsd };
}
