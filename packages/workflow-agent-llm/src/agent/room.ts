import type { CompletionFailure, JsonObject } from "@uncaged/workflow-agent-kit";

/** The newest results stay whole: the model is working with them. */
const NEWEST = 4;

/** Of a result that is cut this much stays, in characters. */
const KEPT = 200;

const NOTE = "\n[cut off to save room; call the tool again if it is needed]";

export function sizeOf(messages: readonly JsonObject[]): number {
  return messages.reduce((sum, message) => sum + JSON.stringify(message).length, 0);
}

/**
 * Cuts the oldest results of tools until the conversation has at most `limit` characters, as far as that goes. `true`
 * when there was something to cut. They stay cut: a beginning that stays the same is cheap where servers keep it.
 */
export function makeRoom(messages: JsonObject[], limit: number): boolean {
  let over = sizeOf(messages) - limit;
  let cut = false;
  const results = [...messages.entries()].filter(([, { role }]) => role === "tool");
  for (const [at, message] of results.slice(0, -NEWEST)) {
    if (over <= 0) break;
    const { content } = message;
    if (typeof content !== "string" || content.length <= KEPT + NOTE.length) continue;
    messages[at] = { ...message, content: content.slice(0, KEPT) + NOTE };
    over -= content.length - KEPT - NOTE.length;
    cut = true;
  }
  return cut;
}

/** Whether the model cannot read so much. */
export function isTooLong({ status, reason }: CompletionFailure): boolean {
  return status === 413 || (status === 400 && /context|too (?:long|large|many tokens)|maximum/i.test(reason));
}
