import type { CompletionToolCall, ToolCallFacts } from "@uncaged/workflow-agent-kit";
import { sanitizeTerminal } from "@uncaged/workflow-util";
import { type Answer, callTool } from "../tools/index.js";
import type { Work } from "./types.js";

/** Of one answer; no model needs more, one that has run wild writes them without end. */
const MOST_CALLS = 32;

/** Runs the calls one after the other, in the order in which the model made them. */
export async function useTools(
  work: Work,
  calls: readonly CompletionToolCall[],
): Promise<readonly ToolCallFacts[]> {
  const facts: ToolCallFacts[] = [];
  for (const [index, call] of calls.entries()) {
    const startedAt = work.port.now();
    const answer = index < MOST_CALLS ? await use(work, call) : TOO_MANY;
    const durationMs = Math.max(0, work.port.now() - startedAt);
    facts.push({ name: call.name, arguments: call.raw, result: answer.result, durationMs });
    work.port.stderr(lineOf(work, call, answer));
  }
  return facts;
}

const TOO_MANY: Answer = { result: `Error: not run: more than ${MOST_CALLS} calls at once.`, ok: false };

async function use({ tools, shop }: Work, call: CompletionToolCall): Promise<Answer> {
  if (shop.signal.aborted) return { result: "Error: not run: the agent is being ended.", ok: false };
  shop.heartbeat();
  return callTool(tools, call, shop);
}

const LONGEST = 100;

/** For somebody who watches. */
function lineOf({ kind, model }: Work, call: CompletionToolCall, { result, ok }: Answer): string {
  const [first = ""] = result.split("\n", 1);
  const text = `${call.name} ${call.raw}`.replace(/\s+/g, " ").slice(0, LONGEST);
  return model.conceal(sanitizeTerminal(`uwf-${kind}: ${text}${ok ? "" : `: ${first.slice(0, LONGEST)}`}`));
}
