import { isObject, type JsonValue } from "@uncaged/json-cas";

/** Whether a reply is nothing but the output that it was read into, as JSON: that is all that a program says. */
export function repeatsOutput(reply: string, output: JsonValue): boolean {
  if (!isObject(output) || !/^\s*\{/.test(reply)) return false;
  try {
    const parsed: unknown = JSON.parse(reply);
    return isObject(parsed) && Object.keys(output).every((key) => Object.hasOwn(parsed, key));
  } catch {
    return false;
  }
}
