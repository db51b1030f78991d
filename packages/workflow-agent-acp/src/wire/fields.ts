import type { Fields } from "./types.js";

// Gate: what an agent says is unknown until it has passed here.

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object, or an empty one. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

export function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** The objects of a list; nothing where it is none. */
export function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

/** A finite number that is not negative. */
export function amountOf(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}

/** A value as a text for people: texts as they are, others as JSON, nothing as "". */
export function shown(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
