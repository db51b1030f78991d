import { validatePayload } from "@uncaged/json-cas";

/** Whether a key fits a `patternProperties` pattern, judged by the validator itself: its engine bounds the pattern. */
export function matchesPattern(pattern: string, key: string): boolean {
  return validatePayload({ type: "string", pattern }, key).length === 0;
}
