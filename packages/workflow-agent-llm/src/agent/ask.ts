import type { Completion, CompletionFailure } from "@uncaged/workflow-agent-kit";
import { describeTools } from "../tools/index.js";
import { isTooLong, makeRoom, sizeOf } from "./room.js";
import type { Talk, Work } from "./types.js";
import { addUsage } from "./usage.js";

/** One try of one answer; a server that keeps the line open with nothing but signs of life is not waited for longer. */
const ANSWER_MS = 30 * 60_000;

/** How much of the limit is left when it was reached: room for some rounds, so that not each one cuts something. */
const AFTERWARDS = 0.7;

type Answered =
  | { readonly ok: true; readonly value: Completion }
  | { readonly ok: false; readonly error: CompletionFailure };

/** The model's next answer, with its turn in the trace. `input` is what is new to it. */
export async function ask(
  work: Work,
  talk: Talk,
  input: string,
  toolChoice: "none" | null,
): Promise<Answered> {
  const startedAt = work.port.now();
  const answer = await completed(work, talk, toolChoice);
  if (!answer.ok) return answer;
  const { text, tokens } = answer.value;
  talk.usage = addUsage(talk.usage, answer.value, talk.turns.length === 0);
  const latencyMs = Math.max(0, work.port.now() - startedAt);
  talk.turns.push({ input, output: text, toolCalls: [], tokens, latencyMs });
  return answer;
}

/** A conversation that has grown too long loses its oldest results; each time there are fewer of them. */
async function completed(
  { model, options, tools, shop }: Work,
  { messages }: Talk,
  toolChoice: "none" | null,
): Promise<Answered> {
  const { contextLimit, more, idleMs } = options;
  if (sizeOf(messages) > contextLimit) makeRoom(messages, contextLimit * AFTERWARDS);
  for (;;) {
    const answer = await model.complete({
      messages,
      tools: describeTools(tools),
      toolChoice,
      more,
      timeoutMs: ANSWER_MS,
      idleMs,
      signal: shop.signal,
      onActivity: shop.heartbeat,
    });
    if (answer.ok || !isTooLong(answer.error) || !makeRoom(messages, sizeOf(messages) / 2)) return answer;
  }
}
