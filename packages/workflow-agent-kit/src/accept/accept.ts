import {
  CasError,
  checkStorable,
  type JsonObject,
  type JsonValue,
  suggest,
  validatePayload,
  violationMessage,
} from "@uncaged/json-cas";
import { err, ok, type Result } from "@uncaged/workflow-protocol";
import { declaredNames, selectDeclared } from "./declared.js";

/**
 * The declared part of `given` if it is valid; else one line per violation. Nothing is added, nothing converted.
 * `clean` takes keys out of it before it is judged: what is stored is what was found valid.
 */
export function accept(
  schema: JsonValue,
  given: JsonObject,
  clean: (data: JsonObject) => JsonObject = (data) => data,
): Result<JsonObject, readonly string[]> {
  const unstorable = unstorableReason(given);
  if (unstorable !== null) return err([unstorable]);
  const data = clean(given);
  const selected = selectDeclared(schema, data);
  const violations = validatePayload(schema, selected);
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
