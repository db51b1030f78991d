import type { JsonObject } from "@uncaged/workflow-agent-kit";
import type { Answer } from "./types.js";

export function done(result: string): Answer {
  return { result, ok: true };
}

export function refused(reason: string): Answer {
  return { result: `Error: ${reason}.`, ok: false };
}

/** The arguments of a tool as JSON Schema; type string by default. */
export function parametersOf(properties: JsonObject, required: readonly string[]): JsonObject {
  return { type: "object", properties, required, additionalProperties: false };
}

// Gate: a model's arguments. Missing ones and other types are `null`.

export function textIn(given: JsonObject, key: string): string | null {
  const value = Object.hasOwn(given, key) ? given[key] : null;
  return typeof value === "string" ? value : null;
}

/** A whole number of at least `least`; some models send it as text. */
export function countIn(given: JsonObject, key: string, least: number): number | null {
  const value = Object.hasOwn(given, key) ? given[key] : null;
  const number = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isInteger(number) && number >= least ? number : null;
}

export function isTrue(given: JsonObject, key: string): boolean {
  return Object.hasOwn(given, key) && given[key] === true;
}
