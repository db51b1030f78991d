import type { JsonValue } from "@uncaged/json-cas";

// Members of an unchecked value: missing ones, and those of another type, are `null`.

export function member(value: JsonValue, name: string): JsonValue {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  return Object.entries(value).find(([key]) => key === name)?.[1] ?? null;
}

export function textAt(value: JsonValue, name: string): string | null {
  const found = member(value, name);
  return typeof found === "string" ? found : null;
}

export function countAt(value: JsonValue, name: string): number | null {
  const found = member(value, name);
  return typeof found === "number" ? found : null;
}

export function listAt(value: JsonValue, name: string): readonly JsonValue[] {
  const found = member(value, name);
  return Array.isArray(found) ? found : [];
}
