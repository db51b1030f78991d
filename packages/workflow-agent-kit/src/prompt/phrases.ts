import type { JsonObject, JsonValue } from "@uncaged/json-cas";
import {
  firstOf,
  type Gathered,
  listedValues,
  numberAt,
  type TypeName,
  textAt,
  typesOf,
} from "../schema/index.js";

const TYPE_WORDS: Readonly<Record<TypeName, string>> = {
  object: "object",
  array: "list",
  string: "string",
  number: "number",
  integer: "integer",
  boolean: "boolean",
  null: "null",
};

/** `string or null`, `exactly "a"`, `one of "a", "b"`, `any value`. */
export function typePhrase({ conjuncts, impossible }: Gathered): string {
  if (impossible) return "no value is allowed";
  const values = listedValues(conjuncts);
  if (values?.length === 1) return `exactly ${JSON.stringify(values[0])}`;
  if (values !== null) return `one of ${values.map((value) => JSON.stringify(value)).join(", ")}`;
  const types = typesOf(conjuncts);
  return types === null ? "any value" : types.map((type) => TYPE_WORDS[type]).join(" or ");
}

const LIMITS: readonly (readonly [string, (value: string) => string])[] = [
  ["format", (value) => (value === "cas_ref" ? "the hash of a stored node" : `format ${value}`)],
  ["pattern", (value) => `matching /${value}/`],
  ["minLength", (value) => `at least ${value} characters`],
  ["maxLength", (value) => `at most ${value} characters`],
  ["minimum", (value) => `at least ${value}`],
  ["exclusiveMinimum", (value) => `greater than ${value}`],
  ["maximum", (value) => `at most ${value}`],
  ["exclusiveMaximum", (value) => `less than ${value}`],
  ["multipleOf", (value) => `a multiple of ${value}`],
  ["minItems", (value) => `at least ${value} items`],
  ["maxItems", (value) => `at most ${value} items`],
  ["minProperties", (value) => `at least ${value} fields`],
  ["maxProperties", (value) => `at most ${value} fields`],
];

/** `at least 1 characters, matching /^a/` as a list of phrases, in a fixed order. */
export function limitPhrases(conjuncts: readonly JsonObject[]): readonly string[] {
  const phrases = LIMITS.flatMap(([key, phrase]) =>
    conjuncts
      .map((schema) => textAt(schema, key) ?? numberAt(schema, key))
      .filter((value) => value !== null)
      .map((value) => phrase(String(value))),
  );
  const unique = firstOf(conjuncts, "uniqueItems") === true ? ["no item twice"] : [];
  return [...new Set([...phrases, ...unique])];
}

const UNSPOKEN = [
  "not",
  "if",
  "then",
  "else",
  "dependentRequired",
  "dependentSchemas",
  "propertyNames",
  "contains",
  "minContains",
  "maxContains",
  "unevaluatedProperties",
  "unevaluatedItems",
];

/** Keywords that have no words of their own, as the schema writes them. */
export function rawRules(conjuncts: readonly JsonObject[]): readonly string[] {
  return conjuncts.flatMap((schema) => {
    const kept = UNSPOKEN.filter((key) => Object.hasOwn(schema, key) && schema[key] !== false);
    if (kept.length === 0) return [];
    return [
      JSON.stringify(Object.fromEntries(kept.map((key): [string, JsonValue] => [key, schema[key] ?? null]))),
    ];
  });
}

/** A description on one line; "" when there is none. */
export function descriptionOf(conjuncts: readonly JsonObject[]): string {
  const text = firstOf(conjuncts, "description");
  return typeof text === "string" ? text.replace(/\s+/g, " ").trim() : "";
}
