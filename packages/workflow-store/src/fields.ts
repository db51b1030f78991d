import { type JsonObject, type JsonValue, validatePayload } from "@uncaged/json-cas";
import {
  asFilledText,
  asMap,
  asText,
  asTextList,
  below,
  checkKeys,
  entry,
  type Findings,
  refuse,
  refuseValue,
} from "./shape.js";

// The tables of the keys that people write. A gate reads a map by its table, and the JSON Schema is made of the same
// table, so neither can know a key that the other does not.

/** A value with its type, or `null` after reporting what is wrong. */
type Check<T> = (findings: Findings, path: string, value: JsonValue | undefined) => T | null;

/**
 * A type of value: how the gate reads it, and the JSON Schema that says the same. `standIn`: what stands for a value that is
 * missing or was refused, so that the rest can be checked. `text`, of a text without quotes: whether it is prose, in which a
 * `#` may stand, or one word, in which none can.
 */
export type Kind<T> = {
  readonly read: Check<T>;
  readonly schema: JsonObject;
  readonly standIn: T;
  readonly text?: TextKind;
};

export type TextKind = "prose" | "word";

/** One key of a map, with what a person wants to know about it. */
type Field<T> = Omit<Kind<unknown>, "standIn"> & {
  readonly description: string;
  readonly example: JsonValue;
  readonly required: boolean;
  /** Its value where the key is missing or its value is refused. */
  readonly otherwise: T;
};

export type Fields = Readonly<Record<string, Field<unknown>>>;

/** What a map of these keys gives. */
export type Values<F extends Fields> = { readonly [K in keyof F]: F[K]["otherwise"] };

export function required<T>(kind: Kind<T>, description: string, example: JsonValue): Field<T> {
  return { ...kind, description, example, required: true, otherwise: kind.standIn };
}

/** A key whose value is `null` if it is missing. `key:` without a value counts as missing. */
export function optional<T>(kind: Kind<T>, description: string, example: JsonValue): Field<T | null> {
  return { ...kind, description, example, required: false, otherwise: null };
}

/** A key that has the stand-in if it is missing. */
export function defaulted<T>(kind: Kind<T>, description: string, example: JsonValue): Field<T> {
  return { ...kind, description, example, required: false, otherwise: kind.standIn };
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
  return (isAbsent ? null : field.read(findings, below(path, name), value)) ?? field.otherwise;
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

export type Named<T> = Readonly<Record<string, T>>;

/** A map of things by name: `names` is what a name may be, for the schema. */
export function mapOf<T>(item: Kind<T>, names: RegExp | null = null): Kind<Named<T>> {
  return {
    schema: namedSchema(item.schema, names),
    standIn: named([]),
    read: (findings, path, value) => {
      const map = asMap(findings, path, value);
      const read = ([name, each]: readonly [string, JsonValue]): readonly [string, T] => [
        name,
        item.read(findings, below(path, name), each) ?? item.standIn,
      ];
      return map === null ? null : named(Object.entries(map).map(read));
    },
  };
}

/** Without a prototype: a name like `constructor` is found only if it was written. */
function named<T>(entries: readonly (readonly [string, T])[]): Named<T> {
  return Object.setPrototypeOf(Object.fromEntries(entries), null) as Named<T>;
}

/** A map with these keys; `title`: what editors call it. */
export function record<F extends Fields>(
  title: string,
  fields: F,
  unknown: "error" | "warning" = "error",
): Kind<Values<F>> {
  const missing = Object.entries(fields).map(([name, { otherwise }]) => [name, otherwise]);
  return {
    schema: schemaOf(title, fields),
    standIn: Object.fromEntries(missing) as Values<F>,
    read: (findings, path, value) => readFields(findings, path, value, fields, unknown),
  };
}

/** The same, or nothing, for which the stand-in stands. */
export function nullable<T>(kind: Kind<T>): Kind<T> {
  return {
    ...kind,
    schema: orNull(kind.schema),
    read: (findings, path, value) => (value === null ? kind.standIn : kind.read(findings, path, value)),
  };
}

/** The values of a schema. `words`: what a value must be, or the sentence about another one. */
export function checked<T extends JsonValue>(
  standIn: T,
  schema: JsonObject,
  words: string | ((value: JsonValue) => string),
): Kind<T> {
  return {
    schema,
    standIn,
    read: (findings, path, value = null) => {
      if (validatePayload(schema, value).length === 0) return value as T;
      if (typeof words === "string") return refuse(findings, path, words, value, "");
      return refuseValue(findings, path, words(value));
    },
  };
}

/** A list of texts, each of this kind. */
export function texts<T extends string>(item: Kind<T>): Kind<readonly T[]> {
  return {
    schema: { type: "array", items: item.schema },
    standIn: [],
    read: (findings, path, value) => {
      const list = asTextList(findings, path, value);
      for (const [index, each] of Array.isArray(value) ? value.entries() : [])
        if (typeof each === "string") item.read(findings, below(path, index), each);
      return list as readonly T[] | null;
    },
  };
}

const TEXT: Kind<string> = { read: asText, schema: { type: "string" }, standIn: "" };

export const PROSE: Kind<string> = { ...TEXT, text: "prose" };

export const WORD: Kind<string> = { ...TEXT, text: "word" };

export const FILLED_TEXT: Kind<string> = {
  ...TEXT,
  read: asFilledText,
  schema: { type: "string", pattern: "\\S" },
};

export const TEXTS: Kind<readonly string[]> = texts(TEXT);

export const FLAG: Kind<boolean> = checked(false, { type: "boolean" }, "true or false");
