import { CasError } from "../fault/index.js";
import { isHash } from "../hash/index.js";
import type { Hash, JsonValue } from "../node/index.js";
import { isObject, keyword } from "../schema/index.js";
import {
  applicable,
  children,
  createValidator,
  furtherChildren,
  type Scope,
  TooMuchWork,
  type Validator,
} from "../validate/index.js";
import { canonicalKeys } from "./order.js";

/**
 * The references that a payload holds according to its schema: every string to which a subschema with
 * `format: "cas_ref"` applies. Each once, in the order in which they stand in the node's bytes, that is with object
 * keys in canonical order (shorter first, then by bytes), wherever the object came from. Throws `INVALID_SCHEMA` when
 * the schema asks for unbounded work.
 */
export function refsOf(schema: JsonValue, payload: JsonValue): readonly Hash[] {
  return refsIn(createValidator(schema), payload);
}

/** `refsOf` with a prepared schema. */
export function refsIn(validator: Validator, payload: JsonValue): readonly Hash[] {
  const found = new Set<Hash>();
  try {
    const scope = validator.open(payload);
    collect(scope, [scope.root], payload, found);
  } catch (error) {
    if (!(error instanceof TooMuchWork || error instanceof RangeError)) throw error;
    const message = "its references multiply beyond what can be followed";
    throw new CasError({ code: "INVALID_SCHEMA", problems: [{ path: "", message, suggestion: null }] });
  }
  return [...found];
}

function collect(scope: Scope, schemas: readonly JsonValue[], value: JsonValue, found: Set<Hash>): void {
  const applying = [...applicable(scope, schemas, value, "satisfied")].filter(isObject);
  if (isHash(value) && applying.some((schema) => keyword(schema, "format") === "cas_ref")) found.add(value);
  if (typeof value !== "object" || value === null) return;
  const parts = new Map<string | number, JsonValue[]>();
  for (const schema of applying) {
    for (const { key, schema: inner } of [
      ...children(scope, schema, value),
      ...furtherChildren(scope, schema, value),
    ]) {
      parts.set(key, [...(parts.get(key) ?? []), inner]);
    }
  }
  for (const [key, part] of entriesInOrder(value)) collect(scope, parts.get(key) ?? [], part, found);
}

function entriesInOrder(value: object & JsonValue): readonly (readonly [string | number, JsonValue])[] {
  if (Array.isArray(value)) return value.map((item, index) => [index, item]);
  return isObject(value) ? canonicalKeys(value).map((key) => [key, value[key] ?? null]) : [];
}
