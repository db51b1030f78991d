import {
  CasError,
  checkStorable,
  type JsonObject,
  type JsonValue,
  suggest,
  type Violation,
  validatePayload,
  violationMessage,
} from "@uncaged/json-cas";
import { err, ok, type Result } from "@uncaged/workflow-protocol";
import { declaredNames, selectDeclared } from "./declared.js";

/** What else can be done with data before it is accepted. */
type Gates = {
  /** Takes keys out of it before it is judged: what is stored is what was found valid. */
  readonly clean: (data: JsonObject) => JsonObject;
  /** What the schema has against it, for who has prepared that schema already. */
  readonly violationsOf: (data: JsonObject) => readonly Violation[];
};

/** The declared part of `given` if it is valid; else one line per violation. Nothing is added, nothing converted. */
export function accept(
  schema: JsonValue,
  given: JsonObject,
  gates: Partial<Gates> = {},
): Result<JsonObject, readonly string[]> {
  const { clean = (data) => data, violationsOf = (data) => validatePayload(schema, data) } = gates;
  const unstorable = unstorableReason(given);
  if (unstorable !== null) return err([unstorable]);
  const data = clean(given);
  const selected = selectDeclared(schema, data);
  const violations = violationsOf(selected);
  if (violations.length === 0) return ok(selected);
  return err([...violations.map(violationMessage), ...misspelled(schema, data, selected)]);
}

function unstorableReason(data: JsonObject): string | null {
  try {
    checkStorable(data);
    return null;
  } catch (error) {
    if (error instanceof CasError) return error.message;
    throw error;
  }
}

/** A key that was left out and looks like a declared one is likely the missing one. */
function misspelled(schema: JsonValue, data: JsonObject, selected: JsonObject): readonly string[] {
  const names = declaredNames(schema);
  return Object.keys(data)
    .filter((key) => !Object.hasOwn(selected, key))
    .flatMap((key) => {
      const meant = suggest(key, names);
      return meant === null || Object.hasOwn(selected, meant)
        ? []
        : [`/${key}: not a declared field, did you mean "${meant}"?`];
    });
}
