import type { JsonObject } from "@uncaged/workflow-agent-kit";
import type { Answer } from "./types.js";

export function done(result: string): Answer {
  return { result, ok: true };
}

export function refused(reason: string): Answer {
  return { result: `Error: ${reason}.`, ok: false };
}

/** The arguments of a tool as JSON Schema: each a text unless it says otherwise. */
export function parametersOf(properties: JsonObject, required: readonly string[]): JsonObject {
  return { type: "object", properties, required, additionalProperties: false };
}
