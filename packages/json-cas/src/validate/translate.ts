import type { JsonValue } from "../node/index.js";
import {
  entriesOf,
  isObject,
  keyword,
  listOf,
  type Positions,
  resolveRef,
  type SchemaObject,
} from "../schema/index.js";
import { setOwn } from "../storable/index.js";
import { refinementOf, type ValueTest } from "./refine.js";
import type { Scope } from "./scope.js";
import { isStructural, structuralTests } from "./structure.js";

/** A schema as `typebox/schema` gets it. */
export type LibrarySchema = object | boolean;

export type Translator = {
  readonly schema: (source: JsonValue) => LibrarySchema;
  /** Targets of `$ref`, by the text of the reference: found at once, without the library's search by URL. */
  readonly references: Readonly<Record<string, LibrarySchema>>;
};

const DIALECT = "https://json-schema.org/draft/2020-12/schema";

// Passed on as they stand.
const PLAIN = new Set(
  (
    "type required dependentRequired maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength " +
    "maxItems minItems maxContains minContains maxProperties minProperties"
  ).split(" "),
);
const INNER = new Set("not if then else items contains additionalProperties propertyNames".split(" "));
const LISTS = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
const MAPS = new Set(["properties", "dependentSchemas"]);

/** Translates the schemas of one document; each only once. */
export function createTranslator(positions: Positions, scope: Scope): Translator {
  const done = new WeakMap<object, LibrarySchema>();
  const references: Record<string, LibrarySchema> = {};
  const schema = (source: JsonValue): LibrarySchema => {
    // What is no schema (in a foreign document) asks for nothing.
    if (!isObject(source)) return source !== false;
    const known = done.get(source);
    if (known !== undefined) return known;
    const result = translateObject(source, scope, schema);
    done.set(source, result);
    return result;
  };
  for (const { schema: source } of positions.all) {
    const ref = isObject(source) ? keyword(source, "$ref") : undefined;
    if (typeof ref === "string") setOwn(references, ref, schema(resolveRef(positions, ref) ?? false));
  }
  return { schema, references };
}

type Inner = (source: JsonValue) => LibrarySchema;

function translateObject(source: SchemaObject, scope: Scope, inner: Inner): object {
  // `$schema` tells the library that this is no draft-4 document, which spares it a search at each `$ref`.
  const target: Record<string, unknown> = { $schema: DIALECT };
  const tests: ValueTest[] = [];
  for (const [name, argument] of Object.entries(source)) {
    const test = refinementOf(name, argument);
    if (test !== null) tests.push(test);
    else if (name === "$ref") defineRef(target, argument, scope.spend);
    else if (!isStructural(source, name)) translateKeyword(target, name, argument, inner);
  }
  tests.push(...structuralTests(scope, source));
  if (tests.length > 0) target["~refine"] = tests.map((check) => ({ check, error: () => "" }));
  return target;
}

function translateKeyword(
  target: Record<string, unknown>,
  name: string,
  argument: JsonValue,
  inner: Inner,
): void {
  if (PLAIN.has(name)) target[name] = argument;
  else if (INNER.has(name)) target[name] = inner(argument);
  else if (LISTS.has(name)) target[name] = listOf(argument).map(inner);
  else if (MAPS.has(name)) target[name] = mapOf(argument, inner);
}

function mapOf(argument: JsonValue, inner: Inner): object {
  const result: Record<string, LibrarySchema> = {};
  for (const [key, schema] of entriesOf(argument)) setOwn(result, key, inner(schema));
  return result;
}

/** Every look at the reference counts: without references, work is at most schema × value. */
function defineRef(target: Record<string, unknown>, ref: JsonValue, onLook: () => void): void {
  if (typeof ref !== "string") return;
  const get = (): string => {
    onLook();
    return ref;
  };
  Object.defineProperty(target, "$ref", { get, enumerable: true, configurable: true });
}
