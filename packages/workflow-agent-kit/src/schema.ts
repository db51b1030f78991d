import type { JsonObject, JsonValue } from "@uncaged/json-cas";
import { isObject, referred, validatePayload } from "@uncaged/json-cas";

// Readers of a stored schema: it passed the closed meta-schema, but its parts are typed as JSON all the same.

export function isList(value: unknown): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** The value under an own key; `null` when the key is absent. */
export function memberOf(object: JsonObject, key: string): JsonValue | null {
  return Object.hasOwn(object, key) ? (object[key] ?? null) : null;
}

export function listAt(schema: JsonObject, key: string): readonly JsonValue[] {
  const value = memberOf(schema, key);
  return isList(value) ? value : [];
}

export function entriesAt(schema: JsonObject, key: string): readonly (readonly [string, JsonValue])[] {
  const value = memberOf(schema, key);
  return isObject(value) ? Object.entries(value) : [];
}

export function numberAt(schema: JsonObject, key: string): number | null {
  const value = memberOf(schema, key);
  return typeof value === "number" ? value : null;
}

export function textAt(schema: JsonObject, key: string): string | null {
  const value = memberOf(schema, key);
  return typeof value === "string" ? value : null;
}

export function textsAt(schema: JsonObject, key: string): readonly string[] {
  return listAt(schema, key).filter((item) => typeof item === "string");
}

export type TypeName = "object" | "array" | "string" | "number" | "integer" | "boolean" | "null";

/** One schema with `$ref` and `allOf` followed. */
export type Gathered = {
  /** The schema and everything that `$ref` and `allOf` join to it. */
  readonly conjuncts: readonly JsonObject[];
  /** The references followed on the way. */
  readonly refs: readonly string[];
  /** It contains `false`: no value is valid. */
  readonly impossible: boolean;
};

/** A schema that joins more parts than this is not followed further. */
const MOST_CONJUNCTS = 200;

/** Flattens `$ref` and `allOf`; unions and conditions stay in the parts. A reference into itself ends. */
export function gather(root: JsonValue, schema: JsonValue): Gathered {
  const conjuncts: JsonObject[] = [];
  const refs: string[] = [];
  let impossible = false;
  const waiting: JsonValue[] = [schema];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    if (next === false) impossible = true;
    if (!isObject(next) || conjuncts.length >= MOST_CONJUNCTS) continue;
    conjuncts.push(next);
    const ref = textAt(next, "$ref");
    if (ref !== null && !refs.includes(ref)) {
      refs.push(ref);
      waiting.push(referred(root, ref) ?? true);
    }
    const { allOf } = next;
    if (isList(allOf)) waiting.push(...allOf);
  }
  return { conjuncts, refs, impossible };
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

// What the joined parts of one schema say together.

const TYPES: readonly TypeName[] = ["object", "array", "string", "number", "integer", "boolean", "null"];

/** The types that every part allows; without any `type` the keywords decide; `null` if nothing does. */
export function typesOf(conjuncts: readonly JsonObject[]): readonly TypeName[] | null {
  const stated = conjuncts.map(statedTypes).filter((types) => types !== null);
  if (stated.length === 0) return impliedType(conjuncts);
  return stated.reduce((left, right) => intersect(left, right));
}

function statedTypes(schema: JsonObject): readonly TypeName[] | null {
  const single = textAt(schema, "type");
  const names = single === null ? textsAt(schema, "type") : [single];
  return names.length === 0 ? null : TYPES.filter((type) => names.includes(type));
}

/** An integer is a number too. */
function intersect(left: readonly TypeName[], right: readonly TypeName[]): readonly TypeName[] {
  const holds = (types: readonly TypeName[], type: TypeName): boolean =>
    types.includes(type) || (type === "integer" && types.includes("number"));
  return TYPES.filter((type) => holds(left, type) && holds(right, type)).filter(
    (type) => left.includes(type) || right.includes(type),
  );
}

const TELLING: readonly (readonly [TypeName, readonly string[]])[] = [
  ["object", ["properties", "required", "patternProperties", "additionalProperties"]],
  ["array", ["items", "prefixItems", "minItems", "contains"]],
  ["string", ["pattern", "format", "minLength", "maxLength"]],
  ["number", ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]],
];

function impliedType(conjuncts: readonly JsonObject[]): readonly TypeName[] | null {
  const found = TELLING.find(([, keys]) =>
    conjuncts.some((schema) => keys.some((key) => Object.hasOwn(schema, key))),
  );
  return found === undefined ? null : [found[0]];
}

/** `const` and `enum` of the first part that has one; `null` when the values are not listed. */
export function listedValues(conjuncts: readonly JsonObject[]): readonly JsonValue[] | null {
  for (const schema of conjuncts) if (Object.hasOwn(schema, "const")) return [memberOf(schema, "const")];
  for (const schema of conjuncts) if (Object.hasOwn(schema, "enum")) return listAt(schema, "enum");
  return null;
}

/**
 * Property name to schema; a name that several parts declare gets all of theirs. Required ones come first, in the author's
 * order: a store keeps that of a list, and sorts the keys of a map.
 */
export function propertiesOf(conjuncts: readonly JsonObject[]): ReadonlyMap<string, JsonValue> {
  const found = new Map<string, readonly JsonValue[]>();
  for (const schema of conjuncts) {
    for (const [name, property] of entriesAt(schema, "properties")) {
      found.set(name, [...(found.get(name) ?? []), property]);
    }
  }
  const required = requiredOf(conjuncts).filter((name) => found.has(name));
  const names = new Set([...required, ...found.keys()]);
  return new Map([...names].map((name) => [name, joined(found.get(name) ?? [])]));
}

export function joined(schemas: readonly JsonValue[]): JsonValue {
  const [only] = schemas;
  return schemas.length === 1 && only !== undefined ? only : { allOf: schemas };
}

export function requiredOf(conjuncts: readonly JsonObject[]): readonly string[] {
  return [...new Set(conjuncts.flatMap((schema) => textsAt(schema, "required")))];
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

/** Every `oneOf` and `anyOf` in the parts. */
export function unionsOf(conjuncts: readonly JsonObject[]): readonly (readonly JsonValue[])[] {
  return conjuncts
    .flatMap((schema) => [listAt(schema, "oneOf"), listAt(schema, "anyOf")])
    .filter((variants) => variants.length > 0);
}

/** The first part's value of a keyword; `null` when none has it. */
export function firstOf(conjuncts: readonly JsonObject[], key: string): JsonValue | null {
  const schema = conjuncts.find((candidate) => Object.hasOwn(candidate, key));
  return schema === undefined ? null : memberOf(schema, key);
}

export { isObject };

/** Whether a key fits a `patternProperties` pattern, judged by the validator itself: its engine bounds the pattern. */
export function matchesPattern(pattern: string, key: string): boolean {
  return validatePayload({ type: "string", pattern }, key).length === 0;
}
