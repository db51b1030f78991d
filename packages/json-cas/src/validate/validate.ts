import { CasError, type Violation } from "../fault/index.js";
import type { JsonValue } from "../node/index.js";
import { freezeCopy } from "../storable/index.js";
import { explain } from "./explain.js";
import { createValidator, type Scope, TooMuchWork, type Validator } from "./scope.js";
import { valueWords } from "./words.js";

/** All violations of the schema by the payload; none means valid. Never throws, whatever the schema says. */
export function validatePayload(schema: JsonValue, payload: JsonValue): readonly Violation[] {
  const unstorable = notJson(payload);
  return unstorable === null ? violationsOf(createValidator(schema), payload) : [unstorable];
}

/** `validatePayload` with a prepared schema and a payload that is known to be JSON. */
export function violationsOf(validator: Validator, payload: JsonValue): readonly Violation[] {
  return bounded(() => findViolations(validator.open(payload), payload));
}

function findViolations(scope: Scope, payload: JsonValue): readonly Violation[] {
  if (scope.holds(scope.root, payload)) return [];
  const found = unique(explain(scope, [scope.root], payload, ""));
  if (found.length > 0) return found;
  return [
    { path: "", keyword: "schema", expected: "a value that fits the schema", got: valueWords(payload) },
  ];
}

/** One fault reached on two ways through the schema is still one. */
function unique(violations: readonly Violation[]): readonly Violation[] {
  return [...new Map(violations.map((violation) => [JSON.stringify(violation), violation])).values()];
}

/** Runs what may need more work or stack than there is; the answer is a violation then, as nothing has been shown. */
function bounded(find: () => readonly Violation[]): readonly Violation[] {
  try {
    return find();
  } catch (error) {
    if (!(error instanceof TooMuchWork || error instanceof RangeError)) throw error;
    const got = "one whose references and branches multiply beyond that";
    return [{ path: "", keyword: "$ref", expected: "a schema that can be checked in bounded work", got }];
  }
}

function notJson(payload: JsonValue): Violation | null {
  try {
    freezeCopy(payload);
    return null;
  } catch (error) {
    if (!(error instanceof CasError) || error.fault.code !== "NOT_STORABLE") throw error;
    return { path: error.fault.path, keyword: "json", expected: "JSON", got: error.fault.reason };
  }
}
