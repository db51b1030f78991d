import type { JsonObject, JsonValue } from "@uncaged/json-cas";

// Readers of a stored schema: it passed the closed meta-schema, but its parts are typed as JSON all the same.

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isList(value: unknown): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** The value under an own key; `null` when the key is absent. */
export function memberOf(object: JsonObject, key: string): JsonValue | null {
  return Object.hasOwn(object, key) ? (object[key] ?? null) : null;
}

export function listAt(schema: JsonObject, key: string): readonly JsonValue[] {
  const value = memberOf(schema, key);
  return isList(value) ? value : [];
}

export function entriesAt(schema: JsonObject, key: string): readonly (readonly [string, JsonValue])[] {
  const value = memberOf(schema, key);
  return isObject(value) ? Object.entries(value) : [];
}

export function numberAt(schema: JsonObject, key: string): number | null {
  const value = memberOf(schema, key);
  return typeof value === "number" ? value : null;
}

export function textAt(schema: JsonObject, key: string): string | null {
  const value = memberOf(schema, key);
  return typeof value === "string" ? value : null;
}

export function textsAt(schema: JsonObject, key: string): readonly string[] {
  return listAt(schema, key).filter((item) => typeof item === "string");
}
