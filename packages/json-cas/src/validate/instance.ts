import type { JsonValue } from "../node/index.js";
import { isObject } from "../schema/index.js";

/**
 * The value without prototypes: the library asks `"toString" in value`, which is true of every ordinary object.
 * Only made for schemas that name such a property.
 */
export function bareCopy(value: JsonValue): unknown {
  if (Array.isArray(value)) return value.map(bareCopy);
  if (!isObject(value)) return value;
  const copy: Record<string, unknown> = Object.create(null);
  for (const [key, member] of Object.entries(value)) copy[key] = bareCopy(member);
  return copy;
}

/** How many values the value is made of, itself included. */
export function countParts(value: JsonValue): number {
  let parts = 0;
  const rest: JsonValue[] = [value];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    parts += 1;
    if (typeof next === "object" && next !== null) for (const part of Object.values(next)) rest.push(part);
  }
  return parts;
}
