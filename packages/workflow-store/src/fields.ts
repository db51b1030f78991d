import type { JsonObject, JsonValue } from "@uncaged/json-cas";
import { asFilledText, asMap, asText, asTextList, below, checkKeys, entry, type Findings } from "./shape.js";

// The tables of the keys that people write. A gate reads a map by its table, and the JSON Schema is made of the same
// table, so neither can know a key that the other does not.

/** A value with its type, or `null` after reporting what is wrong. */
type Check<T> = (findings: Findings, path: string, value: JsonValue | undefined) => T | null;

/**
 * A type of value: how the gate reads it, and the JSON Schema that says the same. `text`, of a text without quotes: whether
 * it is prose, in which a `#` may stand, or one word, in which none can.
 */
export type Kind<T> = { readonly read: Check<T>; readonly schema: JsonObject; readonly text?: TextKind };

export type TextKind = "prose" | "word";

/** What a person wants to know about a key. */
type About = { readonly description: string; readonly example: JsonValue };

/** One key of a map. */
type Field<T> = Kind<T> & About & { readonly required: boolean };

/** A key that always has a value: where it is missing or refused, this one. */
type FilledField<T> = Field<T> & { readonly otherwise: T };

export type Fields = Readonly<Record<string, Field<unknown> & { readonly otherwise?: unknown }>>;

/** What a map of these keys gives; `null`: missing, or refused. */
export type Values<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends FilledField<infer T>
    ? T
    : F[K] extends Field<infer T>
      ? T | null
      : never;
};

export function required<T>(kind: Kind<T>, about: About): Field<T> {
  return { ...kind, ...about, required: true };
}

/** `key:` without a value counts as absent. */
export function optional<T>(kind: Kind<T>, about: About): Field<T> {
  return { ...kind, ...about, required: false };
}

export function filled<T>(otherwise: NoInfer<T>, field: Field<T>): FilledField<T> {
  return { ...field, otherwise };
}

/** The keys whose values are such texts. */
export function keysOfText(tables: readonly Fields[], text: TextKind): readonly string[] {
  return tables.flatMap((fields) => Object.keys(fields).filter((key) => fields[key]?.text === text));
}

/** A map with these keys and no others; unknown ones are errors or warnings. */
export function readFields<F extends Fields>(
  findings: Findings,
  path: string,
  value: JsonValue | undefined,
  fields: F,
  unknown: "error" | "warning" = "error",
): Values<F> {
  const map = asMap(findings, path, value);
  if (map !== null) {
    const names = (isRequired: boolean): readonly string[] =>
      Object.keys(fields).filter((name) => fields[name]?.required === isRequired);
    checkKeys(findings, path, map, { required: names(true), optional: names(false), unknown });
  }
  const read = Object.entries(fields).map(([name, field]) => [
    name,
    readField(findings, path, map ?? {}, name, field),
  ]);
  return Object.fromEntries(read) as Values<F>;
}

/** A missing key has been reported as such: it is not of the wrong type as well. */
function readField(
  findings: Findings,
  path: string,
  map: JsonObject,
  name: string,
  field: Fields[string],
): unknown {
  const value = entry(map, name);
  const isAbsent = value === undefined || (value === null && !field.required);
  return (isAbsent ? null : field.read(findings, below(path, name), value)) ?? field.otherwise ?? null;
}

/** The schema of such a map; editors show the title. */
export function schemaOf(title: string, fields: Fields): JsonObject {
  return {
    title,
    type: "object",
    properties: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, propertyOf(field)])),
    required: Object.keys(fields).filter((name) => fields[name]?.required),
    additionalProperties: false,
  };
}

function propertyOf({ schema, required, description, example }: Field<unknown>): JsonObject {
  return { description, ...(required ? schema : orNull(schema)), examples: [example] };
}

/** The same, or nothing. */
export function orNull(schema: JsonObject): JsonObject {
  if (typeof schema.type === "string") return { ...schema, type: [schema.type, "null"] };
  if (Array.isArray(schema.enum)) return { ...schema, enum: [...schema.enum, null] };
  return Array.isArray(schema.anyOf) ? { ...schema, anyOf: [...schema.anyOf, { type: "null" }] } : schema;
}

/** A map with every required key. */
export function exampleOf(fields: Fields): JsonObject {
  const needed = Object.entries(fields).filter(([, field]) => field.required);
  return Object.fromEntries(needed.map(([name, { example }]) => [name, example]));
}

/** The schema of a map of named things; `pattern`: what a name may be. */
export function namedSchema(item: JsonObject, pattern: RegExp | null = null): JsonObject {
  return pattern === null
    ? { type: "object", additionalProperties: item }
    : { type: "object", patternProperties: { [pattern.source]: item }, additionalProperties: false };
}

/** A map of named things. `fromEntries` makes own entries, also of names like `__proto__`. */
export function readNamed<T>(
  findings: Findings,
  path: string,
  value: JsonValue | undefined,
  read: (findings: Findings, path: string, value: JsonValue) => T,
): Readonly<Record<string, T>> | null {
  const map = asMap(findings, path, value);
  if (map === null) return null;
  return Object.fromEntries(
    Object.entries(map).map(([name, item]) => [name, read(findings, below(path, name), item)]),
  );
}

const TEXT: Kind<string> = { read: asText, schema: { type: "string" } };

export const PROSE: Kind<string> = { ...TEXT, text: "prose" };

export const WORD: Kind<string> = { ...TEXT, text: "word" };

export const FILLED_TEXT: Kind<string> = { read: asFilledText, schema: { type: "string", pattern: "\\S" } };

export const TEXTS: Kind<readonly string[]> = {
  read: asTextList,
  schema: { type: "array", items: { type: "string" } },
};
