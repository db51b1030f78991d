import { copyJson, type JsonValue } from "../json.js";
import type { Violation } from "../problems.js";
import { explainInto } from "./explain.js";
import type { Formats } from "./keywords.js";
import { createValidator, type Scope, TooMuchWork, type Validator } from "./scope.js";
import { valueWords } from "./words.js";

/** A value at its place, under explanation. */
export type Site = {
  readonly scope: Scope;
  readonly value: JsonValue;
  /** JSON Pointer to the value. */
  readonly path: string;
  /** All violations of a schema by a value: for keywords that look into alternatives and names. */
  readonly explain: Explain;
};

type Explain = (
  scope: Scope,
  schemas: Iterable<JsonValue>,
  value: JsonValue,
  path: string,
) => readonly Violation[];

/** All violations of the schema by the value; none means valid. Never throws, whatever the schema says. */
export function validate(
  schema: JsonValue,
  value: unknown,
  formats: Formats = new Map(),
): readonly Violation[] {
  const copied = copyJson(value);
  if (copied.ok) return violationsOf(createValidator(schema, formats), copied.value);
  const { path, reason } = copied.error;
  return [{ path, keyword: "json", expected: "JSON", got: reason }];
}

/** `validate` with a prepared schema and a value that is known to be JSON. */
export function violationsOf(validator: Validator, value: JsonValue): readonly Violation[] {
  try {
    const scope = validator.open(value);
    return scope.holds(scope.root, value) ? [] : explained(validator.explaining(), value);
  } catch (error) {
    if (!isTooMuch(error)) throw error;
    return [TOO_EXPENSIVE];
  }
}

/** Nothing has been shown then, so the answer is no. */
const TOO_EXPENSIVE: Violation = {
  path: "",
  keyword: "SCHEMA_TOO_EXPENSIVE",
  expected: "a schema that can be checked with bounded work",
  got: "one whose branches, references, patterns or lists multiply with this value beyond that",
};

/** At least one violation: the value does not fit, whether or not there is enough work left to say where. */
function explained(scope: Scope, value: JsonValue): readonly Violation[] {
  const violations: Violation[] = [];
  try {
    explainInto(violations, scope, [scope.root], value, "");
  } catch (error) {
    if (!isTooMuch(error)) throw error;
  }
  if (violations.length > 0) return unique(violations);
  return [{ path: "", keyword: "schema", expected: "a value that fits the schema", got: valueWords(value) }];
}

function isTooMuch(error: unknown): boolean {
  return error instanceof TooMuchWork || error instanceof RangeError;
}

/** One fault reached on two ways through the schema is still one. */
function unique(violations: readonly Violation[]): readonly Violation[] {
  return [...new Map(violations.map((violation) => [JSON.stringify(violation), violation])).values()];
}
