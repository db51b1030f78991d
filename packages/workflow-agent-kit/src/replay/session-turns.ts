import type { JsonObject, JsonValue } from "@uncaged/json-cas";
import { expandDetail } from "@uncaged/workflow-store";
import type { AgentContext, ToolCallFacts, TurnFacts } from "../author/index.js";
import { isObject, listAt, memberOf, numberAt, textAt } from "../schema/index.js";

/**
 * What was said in a session, as the details of this thread's steps keep it, oldest first: an agent behind a stateless
 * API has no other memory. `null` when no step knows the session, or when its nodes are not readable any more.
 */
export function sessionTurns(
  { steps, store }: Pick<AgentContext, "steps" | "store">,
  sessionId: string,
): readonly TurnFacts[] | null {
  const turns: TurnFacts[] = [];
  let known = false;
  for (const { detail } of steps) {
    const expanded = expandDetail(store, detail);
    if (!expanded.ok) return null;
    if (!isObject(expanded.value) || textAt(expanded.value, "sessionId") !== sessionId) continue;
    known = true;
    turns.push(...listAt(expanded.value, "turns").filter(isObject).map(turnOf).filter(wasSaid));
  }
  return known ? turns : null;
}

/** The kit puts a turn before a fresh session that tells why an older one did not go on: nobody has said it. */
function wasSaid({ output, toolCalls, tokens, latencyMs }: TurnFacts): boolean {
  const note = /^session \S+ was not continued: /.test(output);
  return !note || toolCalls.length > 0 || tokens !== null || latencyMs !== null;
}

function turnOf(turn: JsonObject): TurnFacts {
  return {
    input: contentOf(memberOf(turn, "input")),
    output: contentOf(memberOf(turn, "output")),
    toolCalls: listAt(turn, "toolCalls").filter(isObject).map(toolCallOf),
    tokens: tokensOf(memberOf(turn, "tokens")),
    latencyMs: numberAt(turn, "latencyMs"),
  };
}

function tokensOf(tokens: JsonValue): TurnFacts["tokens"] {
  const input = isObject(tokens) ? numberAt(tokens, "input") : null;
  const output = isObject(tokens) ? numberAt(tokens, "output") : null;
  return input === null || output === null ? null : { input, output };
}

function toolCallOf(call: JsonObject): ToolCallFacts {
  return {
    name: textAt(call, "name") ?? "",
    arguments: contentOf(memberOf(call, "arguments")),
    result: contentOf(memberOf(call, "result")),
    durationMs: numberAt(call, "durationMs"),
  };
}

function contentOf(node: JsonValue): string {
  return isObject(node) ? (textAt(node, "text") ?? "") : "";
}
