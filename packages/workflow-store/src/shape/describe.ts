import type { JsonValue } from "@uncaged/json-cas";

const SHOWN = 40;

/** What stands there, in words: `the number 42`, `a list`, `nothing`. */
export function describe(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return "nothing";
  if (typeof value === "string") return `the text ${quote(value)}`;
  if (typeof value === "number") return `the number ${value}`;
  if (typeof value === "boolean") return String(value);
  return Array.isArray(value) ? "a list" : "a map";
}

/** In double quotes, control characters escaped, cut short. */
export function quote(text: string): string {
  return JSON.stringify(text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);
}
