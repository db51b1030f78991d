import type { JsonValue } from "../node/index.js";
import { escapeSegment } from "../storable/index.js";

/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const ONE = [
  "not",
  "if",
  "then",
  "else",
  "items",
  "contains",
  "additionalProperties",
  "propertyNames",
  "unevaluatedItems",
  "unevaluatedProperties",
  "contentSchema",
] as const;
const LIST = ["allOf", "anyOf", "oneOf", "prefixItems"] as const;
const NAMED = ["$defs", "properties", "patternProperties", "dependentSchemas"] as const;

export type SchemaObject = { readonly [keyword: string]: JsonValue };

/** A schema inside another one, and the JSON Pointer from the outer to the inner. */
export type Subschema = { readonly path: string; readonly schema: JsonValue };

export function isObject(value: JsonValue | undefined): value is SchemaObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A keyword's value, or `undefined`; own keys only, so `constructor` is not found where nobody wrote it. */
export function keyword(schema: SchemaObject, name: string): JsonValue | undefined {
  return Object.hasOwn(schema, name) ? schema[name] : undefined;
}

/** The schemas one step inside a schema. */
export function subschemas(schema: SchemaObject): readonly Subschema[] {
  return [
    ...ONE.flatMap((name) => one(name, keyword(schema, name))),
    ...LIST.flatMap((name) => list(name, keyword(schema, name))),
    ...NAMED.flatMap((name) => named(name, keyword(schema, name))),
  ];
}

function one(name: string, value: JsonValue | undefined): readonly Subschema[] {
  return value === undefined ? [] : [{ path: `/${name}`, schema: value }];
}

function list(name: string, value: JsonValue | undefined): readonly Subschema[] {
  return listOf(value).map((schema, index) => ({ path: `/${name}/${index}`, schema }));
}

function named(name: string, value: JsonValue | undefined): readonly Subschema[] {
  return entriesOf(value).map(([key, schema]) => ({ path: `/${name}/${escapeSegment(key)}`, schema }));
}

/** The members of a list; none where there is no list. */
export function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

/** The entries of an object; none where there is no object. */
export function entriesOf(value: JsonValue | undefined): readonly (readonly [string, JsonValue])[] {
  return isObject(value) ? Object.entries(value) : [];
}

/** The strings of a list. */
export function textsOf(value: JsonValue | undefined): readonly string[] {
  return listOf(value).filter((item) => typeof item === "string");
}
