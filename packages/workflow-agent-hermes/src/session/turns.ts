import type { ToolCallFacts, TurnFacts } from "@uncaged/workflow-agent-kit";
import type { HermesMessage, HermesToolCall } from "./types.js";

/** One turn per answer of the model: what it was given, what it said, the tools it called with their results. */
export function turnsOf(messages: readonly HermesMessage[]): readonly TurnFacts[] {
  const turns: TurnFacts[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role !== "assistant") continue;
    const before = index === 0 ? null : (messages[index - 1] ?? null);
    turns.push({
      input: inputBefore(messages, index),
      output: message.text,
      toolCalls: message.toolCalls.map((call) => toolCallOf(call, messages, index)),
      // Hermes keeps sums per session only.
      tokens: null,
      latencyMs: between(before, message),
    });
  }
  return turns;
}

/** The messages since the model spoke last: the user's, or the results of its tools. */
function inputBefore(messages: readonly HermesMessage[], index: number): string {
  const given: string[] = [];
  for (let at = index - 1; at >= 0 && messages[at]?.role !== "assistant"; at -= 1) {
    given.unshift(messages[at]?.text ?? "");
  }
  return given.join("\n\n");
}

function toolCallOf(call: HermesToolCall, messages: readonly HermesMessage[], index: number): ToolCallFacts {
  const at = messages.findIndex(
    (message, place) => place > index && message.role === "tool" && message.toolCallId === call.id,
  );
  const result = messages[at] ?? null;
  const before = messages[at - 1] ?? null;
  return {
    name: call.name,
    arguments: call.arguments,
    result: result?.text ?? "",
    durationMs: result === null ? null : between(before, result),
  };
}

function between(before: HermesMessage | null, after: HermesMessage): number | null {
  if (before === null || before.at === null || after.at === null) return null;
  return Math.max(0, after.at - before.at);
}

/** What the model said last, after everything it was asked; `null` when it did not answer. */
export function finalText(messages: readonly HermesMessage[]): string | null {
  const last = messages.findLast((message) => message.role === "assistant" || message.role === "user");
  if (last?.role !== "assistant" || last.toolCalls.length > 0 || last.text.trim() === "") return null;
  return last.text;
}
