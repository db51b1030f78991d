import type { JsonObject, ToolCallFacts, TurnFacts } from "@uncaged/workflow-agent-kit";

// Messages in the API's format.

export function user(content: string): JsonObject {
  return { role: "user", content };
}

/** Some servers refuse an empty message, and an empty text next to tool calls. */
export function assistant(text: string, calls: readonly JsonObject[]): JsonObject {
  if (calls.length === 0) return { role: "assistant", content: text.trim() === "" ? "(no answer)" : text };
  return { role: "assistant", content: text === "" ? null : text, tool_calls: calls };
}

export function tool(id: string, content: string): JsonObject {
  return { role: "tool", tool_call_id: id, content };
}

/** An answer without the thoughts before it; some servers omit their opening tag. */
export function spoken(text: string): string {
  const end = text.indexOf("</think>");
  const begin = text.indexOf("<think>");
  const thinksFirst = end !== -1 && (begin === -1 || text.slice(0, begin).trim() === "");
  return thinksFirst ? text.slice(end + "</think>".length).trimStart() : text;
}

/** The messages of these turns, to send again to a stateless API. */
export function messagesOf(turns: readonly TurnFacts[]): readonly JsonObject[] {
  return turns.flatMap((turn, index) => {
    const calls = turn.toolCalls.map((call, place) => ({ call, id: idOf(index, place) }));
    return [
      ...asked(turn.input, turns[index - 1] ?? null),
      assistant(
        turn.output,
        calls.map(({ call, id }) => wholeCall(call, id)),
      ),
      ...calls.map(({ call, id }) => tool(id, call.result)),
    ];
  });
}

/** The beginning of a turn after one with tool calls. */
export function resultsText(results: readonly string[]): string {
  return results.join("\n\n");
}

/** The results are already with their calls; keep only the rest. */
function asked(input: string, before: TurnFacts | null): readonly JsonObject[] {
  if (before === null || before.toolCalls.length === 0) return input === "" ? [] : [user(input)];
  const results = resultsText(before.toolCalls.map(({ result }) => result));
  const rest = input.startsWith(results) ? input.slice(results.length).trimStart() : input;
  return rest === "" ? [] : [user(rest)];
}

function wholeCall({ name, arguments: given }: ToolCallFacts, id: string): JsonObject {
  return { id, type: "function", function: { name, arguments: isJsonObject(given) ? given : "{}" } };
}

/** Nine letters and digits: Mistral accepts no other ids. */
function idOf(turn: number, place: number): string {
  return `c${String(turn).padStart(5, "0").slice(-5)}${String(place).padStart(3, "0").slice(-3)}`;
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
