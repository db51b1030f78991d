import { isObject, type JsonObject, type JsonValue } from "./json.js";
import { entriesAt, keyword, listAt, referred, textsAt } from "./schema.js";

// What the parts of a schema say together: for those that describe a schema, make values of it or a form.

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
    const ref = keyword(next, "$ref");
    if (typeof ref === "string" && !refs.includes(ref)) {
      refs.push(ref);
      waiting.push(referred(root, ref) ?? true);
    }
    waiting.push(...listAt(next, "allOf"));
  }
  return { conjuncts, refs, impossible };
}

const TYPES: readonly TypeName[] = ["object", "array", "string", "number", "integer", "boolean", "null"];

/** The types that every part allows; without any `type` the keywords decide; `null` if nothing does. */
export function typesOf(conjuncts: readonly JsonObject[]): readonly TypeName[] | null {
  return statedTypes(conjuncts) ?? impliedType(conjuncts);
}

/** The same by `type` alone: of a part without it a value may be of any type. */
export function statedTypes(conjuncts: readonly JsonObject[]): readonly TypeName[] | null {
  const stated = conjuncts
    .map((schema) => [keyword(schema, "type") ?? []].flat())
    .filter((names) => names.length > 0)
    .map((names): readonly TypeName[] => TYPES.filter((type) => names.includes(type)));
  return stated.length === 0 ? null : stated.reduce(intersect);
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
  for (const schema of conjuncts) if (Object.hasOwn(schema, "const")) return [schema.const ?? null];
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

/** Every `oneOf` and `anyOf` in the parts. */
export function unionsOf(conjuncts: readonly JsonObject[]): readonly (readonly JsonValue[])[] {
  return conjuncts
    .flatMap((schema) => [listAt(schema, "oneOf"), listAt(schema, "anyOf")])
    .filter((variants) => variants.length > 0);
}

/** The first part's value of a keyword; `null` when none has it. */
export function firstOf(conjuncts: readonly JsonObject[], key: string): JsonValue | null {
  const schema = conjuncts.find((candidate) => Object.hasOwn(candidate, key));
  return schema?.[key] ?? null;
}

/** Every schema that applies, or may apply, to the value of `place`: through references, unions and conditions. */
export function appliedTo(root: JsonValue, place: JsonValue): readonly JsonObject[] {
  const found = new Set<JsonObject>();
  const waiting: JsonValue[] = [place];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const schema of gather(root, next).conjuncts) {
      if (found.has(schema)) continue;
      found.add(schema);
      waiting.push(...alternatives(schema));
    }
  }
  return [...found];
}

function alternatives(schema: JsonObject): readonly JsonValue[] {
  const branches = ["if", "then", "else"].filter((key) => Object.hasOwn(schema, key));
  return [
    ...listAt(schema, "anyOf"),
    ...listAt(schema, "oneOf"),
    ...branches.map((key) => schema[key] ?? true),
    ...entriesAt(schema, "dependentSchemas").map(([, dependent]) => dependent),
  ];
}
