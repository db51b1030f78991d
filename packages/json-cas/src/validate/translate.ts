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

/** A schema as `typebox/schema` gets it. */
export type LibrarySchema = object | boolean;

export type Translator = {
  readonly schema: (source: JsonValue) => LibrarySchema;
  /** Targets of `$ref`, by the text of the reference: found at once, without the library's search by URL. */
  readonly references: Readonly<Record<string, LibrarySchema>>;
};

export type TranslatorOptions = {
  readonly positions: Positions;
  /** Called whenever a `$ref` is followed; throws when there were too many. */
  readonly onRef: () => void;
  /** A native pattern for a key of `patternProperties`. */
  readonly keyPattern: (pattern: string) => string;
  /** Does any `unevaluated…` keyword need to know what was evaluated? */
  readonly tracksEvaluated: boolean;
};

const DIALECT = "https://json-schema.org/draft/2020-12/schema";

// Passed on as they stand.
const PLAIN = new Set(
  (
    "type required dependentRequired maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength " +
    "maxItems minItems maxContains minContains maxProperties minProperties"
  ).split(" "),
);
const IN_PLACE = new Set(["then", "else", "items", "additionalProperties", "propertyNames"]);
const LISTS = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
const MAPS = new Set(["properties", "dependentSchemas"]);
// The library evaluates these in the context of the schema around them, also where they fail; see `isolate`.
const ISOLATED = new Set(["not", "contains", "unevaluatedItems", "unevaluatedProperties"]);

/** Translates the schemas of one document; each only once. */
export function createTranslator(options: TranslatorOptions): Translator {
  const done = new WeakMap<object, LibrarySchema>();
  const references: Record<string, LibrarySchema> = {};
  const schema = (source: JsonValue): LibrarySchema => {
    // What is no schema (in a foreign document) asks for nothing.
    if (!isObject(source)) return source !== false;
    const known = done.get(source);
    if (known !== undefined) return known;
    const result = translateObject(source, options, schema);
    done.set(source, result);
    return result;
  };
  for (const { schema: source } of options.positions.all) {
    const ref = isObject(source) ? keyword(source, "$ref") : undefined;
    if (typeof ref !== "string") continue;
    setOwn(references, ref, schema(resolveRef(options.positions, ref) ?? false));
  }
  return { schema, references };
}

type Inner = (source: JsonValue) => LibrarySchema;

function translateObject(source: SchemaObject, options: TranslatorOptions, inner: Inner): object {
  // `$schema` tells the library that this is no draft-4 document, which spares it a search at each `$ref`.
  const target: Record<string, unknown> = { $schema: DIALECT };
  const tests: ValueTest[] = [];
  for (const [name, argument] of Object.entries(source)) {
    const test = refinementOf(name, argument) ?? closedTest(source, name);
    if (test !== null) tests.push(test);
    else if (name === "$ref") defineRef(target, argument, options.onRef);
    else translateKeyword(target, name, argument, options, inner);
  }
  if (tests.length > 0) target["~refine"] = tests.map((check) => ({ check, error: () => "" }));
  return target;
}

/**
 * A closed object, the commonest of all schemas: the library compiles an expression of all property names each time it
 * meets one, which took 30 ms for the meta-schema on bun.
 */
function closedTest(source: SchemaObject, name: string): ValueTest | null {
  const isClosed = name === "additionalProperties" && keyword(source, name) === false;
  if (!isClosed || Object.hasOwn(source, "patternProperties")) return null;
  const named = keyword(source, "properties");
  const known = (key: string): boolean => isObject(named) && Object.hasOwn(named, key);
  return (value) => !isObject(value) || Object.keys(value).every(known);
}

function translateKeyword(
  target: Record<string, unknown>,
  name: string,
  argument: JsonValue,
  options: TranslatorOptions,
  inner: Inner,
): void {
  if (PLAIN.has(name)) target[name] = argument;
  else if (IN_PLACE.has(name)) target[name] = inner(argument);
  else if (LISTS.has(name)) target[name] = listOf(argument).map(inner);
  else if (MAPS.has(name)) target[name] = mapOf(argument, (key) => key, inner);
  else if (name === "patternProperties") target[name] = mapOf(argument, options.keyPattern, inner);
  else if (name === "if")
    target[name] = options.tracksEvaluated ? { allOf: [inner(argument)] } : inner(argument);
  else if (ISOLATED.has(name))
    target[name] = options.tracksEvaluated ? isolate(inner(argument)) : inner(argument);
}

/**
 * The library collects what `unevaluatedProperties` must not look at in a stack that a failing subschema leaves
 * unbalanced, and lets a subschema over another value add to it. `allOf` and `not` start a stack of their own: `allOf`
 * hands it on when it holds (as `if` should), a double `not` never does.
 */
function isolate(schema: LibrarySchema): LibrarySchema {
  return { not: { not: schema } };
}

function mapOf(argument: JsonValue, rename: (key: string) => string, inner: Inner): object {
  const result: Record<string, LibrarySchema> = {};
  for (const [key, schema] of entriesOf(argument)) setOwn(result, rename(key), inner(schema));
  return result;
}

function defineRef(target: Record<string, unknown>, ref: JsonValue, onRef: () => void): void {
  if (typeof ref !== "string") return;
  const get = (): string => {
    onRef();
    return ref;
  };
  Object.defineProperty(target, "$ref", { get, enumerable: true, configurable: true });
}
