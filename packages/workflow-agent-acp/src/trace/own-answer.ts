import type { SessionFacts } from "@uncaged/workflow-agent-kit";
import { isObject } from "@uncaged/workflow-agent-kit";
import { amountOf, fieldsOf } from "../wire.js";
import { blockText } from "./tool-call.js";
import { createTrace, type OwnAnswer, type Trace } from "./trace.js";

/**
 * The trace of a prompt in a loaded session. Some agents are still replaying the history when the new prompt is sent:
 * everything before the echo of this prompt, or after the echo of another one, is history.
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

/** The trace of a prompt without replayed history: every update belongs to it. */
export function onlyAnswer(prompt: string, now: () => number): OwnAnswer {
  return { ...createTrace(prompt, now), isHistory: () => false };
}

/** Updates between two prompts; an echo may come in chunks. */
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
 * The `usage` of a prompt's result; `null` if there is none. Cached tokens count as input, thoughts as output. The
 * protocol counts these separately; for an agent that includes them the total shows it.
 */
export function usageOf(reported: unknown, costUsd: number | null): Usage | null {
  if (!isObject(reported)) return null;
  const input = amountOf(reported.inputTokens);
  const output = amountOf(reported.outputTokens);
  if (input === null || output === null) return null;
  const total = amountOf(reported.totalTokens);
  const cached = (amountOf(reported.cachedReadTokens) ?? 0) + (amountOf(reported.cachedWriteTokens) ?? 0);
  const thought = amountOf(reported.thoughtTokens) ?? 0;
  const apart = total === null ? null : total - input - output;
  const inputTokens = input + (apart === 0 || apart === thought ? 0 : cached);
  const outputTokens = output + (apart === 0 || apart === cached ? 0 : thought);
  return { inputTokens, outputTokens, totalTokens: total ?? inputTokens + outputTokens, costUsd };
}
