import type { Usage } from "@uncaged/workflow-protocol";

/** A sum with an unknown part would claim too little: it is unknown. */
export function addUsage(first: Usage | null, next: Usage | null): Usage | null {
  if (first === null || next === null) return null;
  const costUsd = first.costUsd === null || next.costUsd === null ? null : first.costUsd + next.costUsd;
  return {
    inputTokens: first.inputTokens + next.inputTokens,
    outputTokens: first.outputTokens + next.outputTokens,
    totalTokens: first.totalTokens + next.totalTokens,
    costUsd,
  };
}
