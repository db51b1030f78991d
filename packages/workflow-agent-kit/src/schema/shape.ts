import type { JsonObject, JsonValue } from "@uncaged/json-cas";
import { entriesAt, listAt, memberOf, textAt, textsAt } from "./read.js";
import type { TypeName } from "./types.js";

// What the joined parts of one schema say together.

const TYPES: readonly TypeName[] = ["object", "array", "string", "number", "integer", "boolean", "null"];

/** The types that every part allows; without any `type` the keywords tell; `null` when nothing does. */
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

/** Property name to schema; a name that several parts declare gets all of theirs. */
export function propertiesOf(conjuncts: readonly JsonObject[]): ReadonlyMap<string, JsonValue> {
  const found = new Map<string, readonly JsonValue[]>();
  for (const schema of conjuncts) {
    for (const [name, property] of entriesAt(schema, "properties")) {
      found.set(name, [...(found.get(name) ?? []), property]);
    }
  }
  return new Map([...found].map(([name, schemas]) => [name, joined(schemas)]));
}

export function joined(schemas: readonly JsonValue[]): JsonValue {
  const [only] = schemas;
  return schemas.length === 1 && only !== undefined ? only : { allOf: schemas };
}

export function requiredOf(conjuncts: readonly JsonObject[]): readonly string[] {
  return [...new Set(conjuncts.flatMap((schema) => textsAt(schema, "required")))];
}

/** Every `oneOf` and `anyOf` that stands in the parts. */
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
