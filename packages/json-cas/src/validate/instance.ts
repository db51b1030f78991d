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

type PatternOf = (source: string) => (text: string) => boolean;

/**
 * The library makes native, backtracking expressions of the keys of `patternProperties`. So each pattern is matched
 * here, in linear time, against the keys that the value has, and the library gets the list of those that fit.
 */
export function keyPatternsFor(value: JsonValue, patternOf: PatternOf): (pattern: string) => string {
  const keys = [...keysIn(value)];
  let count = 0;
  return (pattern) => {
    const matching = keys.filter(patternOf(pattern)).map(escapePattern);
    // Patterns that fit the same keys must not become the same key: an empty group each tells them apart.
    count += 1;
    const mark = "(?:)".repeat(count);
    return matching.length === 0 ? `${mark}[]` : `${mark}^(?:${matching.join("|")})$`;
  };
}

function keysIn(value: JsonValue): ReadonlySet<string> {
  const keys = new Set<string>();
  visitParts(value, (part) => {
    if (isObject(part)) for (const key of Object.keys(part)) keys.add(key);
  });
  return keys;
}

/** How many values the value is made of, itself included. */
export function countParts(value: JsonValue): number {
  let parts = 0;
  visitParts(value, () => {
    parts += 1;
  });
  return parts;
}

function visitParts(value: JsonValue, visit: (part: JsonValue) => void): void {
  const rest: JsonValue[] = [value];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    visit(next);
    if (typeof next === "object" && next !== null) for (const part of Object.values(next)) rest.push(part);
  }
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
