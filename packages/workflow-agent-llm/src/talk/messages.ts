import type { JsonObject } from "@uncaged/workflow-agent-kit";

// Messages in the form of the API.

export function user(content: string): JsonObject {
  return { role: "user", content };
}

/** Some servers refuse an empty message, and a text beside tool calls that is empty. */
export function assistant(text: string, calls: readonly JsonObject[]): JsonObject {
  if (calls.length === 0) return { role: "assistant", content: text.trim() === "" ? "(no answer)" : text };
  return { role: "assistant", content: text === "" ? null : text, tool_calls: calls };
}

export function tool(id: string, content: string): JsonObject {
  return { role: "tool", tool_call_id: id, content };
}

/** An answer without the thoughts before it; some servers leave out where they begin. */
export function spoken(text: string): string {
  const end = text.indexOf("</think>");
  const begin = text.indexOf("<think>");
  const thinksFirst = end !== -1 && (begin === -1 || text.slice(0, begin).trim() === "");
  return thinksFirst ? text.slice(end + "</think>".length).trimStart() : text;
}
