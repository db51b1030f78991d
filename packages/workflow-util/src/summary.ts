import { isObject, type JsonValue } from "@uncaged/json-cas";
import { counted } from "./amounts.js";

/** A step's output in a line, `approved: false, comments: Two tests are missing`: what decides, mostly short, comes first. */
export function summaryOf(output: JsonValue): string {
  if (!isObject(output)) return JSON.stringify(output);
  const fields = Object.entries(output).map(([name, value]) => ({
    text: `${name}: ${valueWords(value)}`,
    isShort: typeof value === "boolean" || typeof value === "number",
  }));
  return [...fields.filter(({ isShort }) => isShort), ...fields.filter(({ isShort }) => !isShort)]
    .map(({ text }) => text)
    .join(", ");
}

function valueWords(value: JsonValue | undefined): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return counted(value.length, "item");
  return isObject(value) ? counted(Object.keys(value).length, "field") : JSON.stringify(value ?? null);
}
