import { fieldsOf } from "../wire/index.js";
import { blockText } from "./content.js";
import { createTrace } from "./trace.js";
import type { OwnAnswer, Trace } from "./types.js";

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
