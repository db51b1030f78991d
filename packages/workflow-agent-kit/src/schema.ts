import { type JsonObject, type JsonValue, validatePayload } from "@uncaged/json-cas";
import { entriesAt, gather, isObject, propertiesOf, textsAt, unionsOf } from "@uncaged/json-schema";

// Readers of a stored schema: it passed the closed meta-schema, but its parts are typed as JSON all the same.

export function isList(value: unknown): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** The value under an own key; `null` when the key is absent. */
export function memberOf(object: JsonObject, key: string): JsonValue | null {
  return Object.hasOwn(object, key) ? (object[key] ?? null) : null;
}

export function numberAt(schema: JsonObject, key: string): number | null {
  const value = memberOf(schema, key);
  return typeof value === "number" ? value : null;
}

export function textAt(schema: JsonObject, key: string): string | null {
  const value = memberOf(schema, key);
  return typeof value === "string" ? value : null;
}

/** Whether the order of some object's fields is more than its list of required ones says. */
export function hasUnlistedOrder(schema: JsonValue): boolean {
  if (isList(schema)) return schema.some(hasUnlistedOrder);
  if (!isObject(schema)) return false;
  const required = textsAt(schema, "required");
  const others = entriesAt(schema, "properties").filter(([name]) => !required.includes(name));
  return others.length > 1 || Object.values(schema).some(hasUnlistedOrder);
}

/** Whether a value may refer to nodes. */
export function hasReferences(schema: JsonValue): boolean {
  return JSON.stringify(schema).includes('"format":"cas_ref"');
}

/** Whether a top-level field refers to one node or to a list of them; `null` for any other field. */
export function referenceField(root: JsonValue, field: string): "one" | "list" | null {
  const schema = propertiesOf(gather(root, root).conjuncts).get(field);
  if (schema === undefined) return null;
  const { conjuncts } = gather(root, schema);
  const parts = [...conjuncts, ...unionsOf(conjuncts).flat()].flatMap((part) => gather(root, part).conjuncts);
  if (parts.some(isReference)) return "one";
  const items = parts.flatMap((part) => gather(root, memberOf(part, "items")).conjuncts);
  return items.some(isReference) ? "list" : null;
}

export function isReference(schema: JsonObject): boolean {
  return textAt(schema, "format") === "cas_ref";
}

/** Whether a key fits a `patternProperties` pattern, judged by the validator itself: its engine bounds the pattern. */
export function matchesPattern(pattern: string, key: string): boolean {
  return validatePayload({ type: "string", pattern }, key).length === 0;
}
