import type { JsonValue } from "../../src/index.js";

/** A schema, a value, and whether the one fits the other. */
export type Case = {
  readonly says: string;
  readonly schema: JsonValue;
  readonly value: JsonValue;
  /** `keyword` or `/path keyword` of every violation, in the order of the report; none where the value is valid. */
  readonly violations: readonly string[];
};

export function valid(says: string, schema: JsonValue, value: JsonValue): Case {
  return { says, schema, value, violations: [] };
}

export function invalid(
  says: string,
  schema: JsonValue,
  value: JsonValue,
  ...violations: readonly [string, ...string[]]
): Case {
  return { says, schema, value, violations };
}

/** For an own key `__proto__`, which a literal cannot have, and for numbers as somebody has typed them. */
export function json(text: string): JsonValue {
  return JSON.parse(text) as JsonValue;
}
