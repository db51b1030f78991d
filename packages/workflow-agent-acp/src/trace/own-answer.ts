import type { SessionFacts } from "@uncaged/workflow-agent-kit";
import { isObject } from "@uncaged/workflow-agent-kit";
import { amountOf, fieldsOf } from "../wire.js";
import { blockText } from "./tool-call.js";
import { createTrace, type OwnAnswer, type Trace } from "./trace.js";

/**
 * The trace of a prompt in a loaded session. Some agents still tell the old conversation when the new prompt is under
 * way: whatever stands before that prompt's own echo is history, and so is what follows the echo of another one.
 */
export function ownAnswer(prompt: string, now: () => number): OwnAnswer {
  let trace: Trace = createTrace(prompt, now);
  let echo = "";
  let isHistory = false;
  return {
    update: (update) => {
      if (update.sessionUpdate === "user_message_chunk") {
        echo += blockText(fieldsOf(update.content));
        trace = createTrace(prompt, now);
        isHistory = !squeezed(echo).includes(squeezed(prompt));
        return;
      }
      if (SAYS_SOMETHING.has(update.sessionUpdate)) echo = "";
      if (!isHistory) trace.update(update);
    },
    toolCall: (id) => trace.toolCall(id),
    refuse: (toolCall, reason) => trace.refuse(toolCall, reason),
    busy: () => trace.busy(),
    size: () => trace.size(),
    text: () => trace.text(),
    turns: () => trace.turns(),
    costUsd: () => trace.costUsd(),
    isHistory: () => isHistory,
  };
}

/** The trace of a prompt where no past is told: whatever comes is of this prompt. */
export function onlyAnswer(prompt: string, now: () => number): OwnAnswer {
  return { ...createTrace(prompt, now), isHistory: () => false };
}

/** What comes between two prompts; an echo may come in pieces. */
const SAYS_SOMETHING: ReadonlySet<unknown> = new Set([
  "agent_message_chunk",
  "agent_thought_chunk",
  "tool_call",
  "tool_call_update",
  "plan",
]);

function squeezed(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

type Usage = NonNullable<SessionFacts["usage"]>;

/**
 * The `usage` of a prompt's result; `null` where the agent tells none. Everything that the model read counts as input,
 * cached or not, and what it thought as output. The protocol counts these apart; an agent that counts them in shows
 * it by its total.
 */
export function usageOf(told: unknown, costUsd: number | null): Usage | null {
  if (!isObject(told)) return null;
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
