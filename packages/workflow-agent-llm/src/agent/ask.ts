import type { Completion, CompletionFailure } from "@uncaged/workflow-agent-kit";
import { describeTools } from "../tools/index.js";
import type { Talk, Work } from "./types.js";
import { addUsage } from "./usage.js";

/** One try of one answer; a server that keeps the line open with nothing but signs of life is not waited for longer. */
const ANSWER_MS = 30 * 60_000;

type Answered =
  | { readonly ok: true; readonly value: Completion }
  | { readonly ok: false; readonly error: CompletionFailure };

/** The model's next answer, with its turn in the trace. `input` is what is new to it. */
export async function ask(
  { model, options, tools, shop, port }: Work,
  talk: Talk,
  input: string,
  toolChoice: "none" | null,
): Promise<Answered> {
  const startedAt = port.now();
  const answer = await model.complete({
    messages: talk.messages,
    tools: describeTools(tools),
    toolChoice,
    more: options.more,
    timeoutMs: ANSWER_MS,
    idleMs: options.idleMs,
    signal: shop.signal,
    onActivity: shop.heartbeat,
  });
  if (!answer.ok) return answer;
  const { text, tokens } = answer.value;
  talk.usage = addUsage(talk.usage, answer.value, talk.turns.length === 0);
  const latencyMs = Math.max(0, port.now() - startedAt);
  talk.turns.push({ input, output: text, toolCalls: [], tokens, latencyMs });
  return answer;
}
