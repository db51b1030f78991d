import { err, ok, type Result } from "@uncaged/workflow-protocol";
import type { SessionFacts, ToolCallFacts } from "../author/index.js";

/** What a file of facts may say; the kit's gate looks at the values. */
export type Facts = Partial<SessionFacts> & { readonly toolCalls: readonly ToolCallFacts[] | null };

const KEYS = ["sessionId", "cwd", "model", "turns", "usage", "toolCalls"];

/** `{sessionId, cwd, model, turns, usage, toolCalls}`, each of them optional, or a sentence about what is wrong. */
export function parseFacts(text: string): Result<Facts, string> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return err(error instanceof Error ? error.message : String(error));
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return err("it is no JSON object");
  const unknown = Object.keys(value).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) return err(`unknown key ${unknown}; known are ${KEYS.join(", ")}`);
  const lists = Object.entries(value).filter(([key]) => key === "turns" || key === "toolCalls");
  const wrong = lists.find(([, list]) => list !== null && !Array.isArray(list));
  if (wrong !== undefined) return err(`${wrong[0]} is to be a list`);
  return ok({ toolCalls: null, ...value });
}
