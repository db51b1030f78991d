import type { JsonValue } from "../node/index.js";
import { compilePattern, PatternError } from "../pattern/index.js";
import { entriesOf, isObject, keyword, listOf, type SchemaObject, textsOf } from "../schema/index.js";
import { type Child, children, partOf, unevaluated } from "./applicable.js";
import { allDiffer, sameValue } from "./equal.js";
import { hasFormat } from "./formats.js";
import { isMultipleOf } from "./multiple.js";
import type { Scope } from "./scope.js";

export type ValueTest = (value: JsonValue) => boolean;

/** The test of a keyword from its argument, and from its neighbours in the schema where it speaks of them. */
type Maker = (argument: JsonValue, schema: SchemaObject, scope: Scope) => ValueTest;

const MAKERS: ReadonlyMap<string, Maker> = new Map<string, Maker>([
  ["$ref", reference],
  ["type", type],
  ["const", (wanted) => (value) => sameValue(value, wanted)],
  ["enum", (options) => (value) => listOf(options).some((option) => sameValue(value, option))],
  ["maximum", numeric((value, limit) => value <= limit)],
  ["exclusiveMaximum", numeric((value, limit) => value < limit)],
  ["minimum", numeric((value, limit) => value >= limit)],
  ["exclusiveMinimum", numeric((value, limit) => value > limit)],
  ["multipleOf", numeric(isMultipleOf)],
  ["maxLength", textual((text, limit) => text.length <= limit || characters(text) <= limit)],
  ["minLength", textual((text, limit) => text.length >= limit && characters(text) >= limit)],
  ["pattern", pattern],
  ["format", (name) => (value) => typeof value !== "string" || hasFormat(String(name), value)],
  ["maxItems", counted((count, limit) => count <= limit)],
  ["minItems", counted((count, limit) => count >= limit)],
  ["uniqueItems", (wanted) => (value) => wanted !== true || !Array.isArray(value) || allDiffer(value)],
  ["maxProperties", membered((count, limit) => count <= limit)],
  ["minProperties", membered((count, limit) => count >= limit)],
  ["required", required],
  ["dependentRequired", dependentRequired],
  ["properties", parts],
  ["patternProperties", parts],
  ["additionalProperties", parts],
  ["prefixItems", parts],
  ["items", parts],
  ["propertyNames", propertyNames],
  ["contains", contains],
  ["unevaluatedItems", unevaluatedParts],
  ["unevaluatedProperties", unevaluatedParts],
  ["dependentSchemas", dependentSchemas],
  [
    "allOf",
    (all, _, { holds }) =>
      (value) =>
        listOf(all).every((inner) => holds(inner, value)),
  ],
  [
    "anyOf",
    (any, _, { holds }) =>
      (value) =>
        listOf(any).some((inner) => holds(inner, value)),
  ],
  [
    "oneOf",
    (one, _, { holds }) =>
      (value) =>
        listOf(one).filter((inner) => holds(inner, value)).length === 1,
  ],
  [
    "not",
    (inner, _, { holds }) =>
      (value) =>
        !holds(inner, value),
  ],
  ["if", condition],
]);

/** Keywords whose parts `children` finds together. */
const PARTS: ReadonlySet<string> = new Set(
  "properties patternProperties additionalProperties prefixItems items".split(" "),
);

/** One test for everything that a schema says. What is no keyword of ours says nothing. */
export function testOf(schema: SchemaObject, scope: Scope): ValueTest {
  const tests: ValueTest[] = [];
  let hasParts = false;
  for (const [name, argument] of Object.entries(schema)) {
    if (hasParts && PARTS.has(name)) continue;
    hasParts ||= PARTS.has(name);
    const make = MAKERS.get(name);
    if (make !== undefined) tests.push(make(argument, schema, scope));
  }
  return (value) => tests.every((test) => test(value));
}

function reference(ref: JsonValue, _: SchemaObject, scope: Scope): ValueTest {
  if (typeof ref !== "string") return () => true;
  return (value) => {
    scope.spend();
    return scope.holds(scope.target(ref), value);
  };
}

const TYPES: ReadonlyMap<JsonValue, ValueTest> = new Map<JsonValue, ValueTest>([
  ["null", (value) => value === null],
  ["boolean", (value) => typeof value === "boolean"],
  ["integer", (value) => Number.isInteger(value)],
  ["number", (value) => typeof value === "number"],
  ["string", (value) => typeof value === "string"],
  ["array", (value) => Array.isArray(value)],
  ["object", (value) => isObject(value)],
]);

/** A name that is no type, which only a foreign schema can have, fits nothing. */
function type(names: JsonValue): ValueTest {
  const tests = (Array.isArray(names) ? names : [names])
    .map((name) => TYPES.get(name))
    .filter((test) => test !== undefined);
  return (value) => tests.some((test) => test(value));
}

type Compare<T> = (value: T, limit: number) => boolean;

/** A keyword about values of one kind, with a number as its argument. */
function limited<T>(of: (value: JsonValue) => T | null, compare: Compare<T>): Maker {
  return (limit) => (value) => {
    const measured = of(value);
    return measured === null || typeof limit !== "number" || compare(measured, limit);
  };
}

function numeric(compare: Compare<number>): Maker {
  return limited((value) => (typeof value === "number" ? value : null), compare);
}

function textual(compare: Compare<string>): Maker {
  return limited((value) => (typeof value === "string" ? value : null), compare);
}

function counted(compare: Compare<number>): Maker {
  return limited((value) => (Array.isArray(value) ? value.length : null), compare);
}

function membered(compare: Compare<number>): Maker {
  return limited((value) => (isObject(value) ? Object.keys(value).length : null), compare);
}

/** Unicode characters; UTF-16 units are never fewer. */
function characters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function pattern(source: JsonValue): ValueTest {
  const test = patternTest(String(source));
  return (value) => typeof value !== "string" || test(value);
}

/** A pattern that is none, which only a foreign schema can have, fits nothing. */
export function patternTest(source: string): (text: string) => boolean {
  try {
    return compilePattern(source).test;
  } catch (error) {
    if (error instanceof PatternError) return () => false;
    throw error;
  }
}

function required(names: JsonValue): ValueTest {
  return (value) => !isObject(value) || textsOf(names).every((name) => Object.hasOwn(value, name));
}

function dependentRequired(causes: JsonValue): ValueTest {
  const tests = entriesOf(causes).map(([cause, names]) => ({ cause, fits: required(names) }));
  return (value) =>
    !isObject(value) || tests.every(({ cause, fits }) => !Object.hasOwn(value, cause) || fits(value));
}

function dependentSchemas(causes: JsonValue, _: SchemaObject, { holds }: Scope): ValueTest {
  return (value) =>
    !isObject(value) ||
    entriesOf(causes).every(([cause, inner]) => !Object.hasOwn(value, cause) || holds(inner, value));
}

function parts(_: JsonValue, schema: SchemaObject, scope: Scope): ValueTest {
  return (value) => allHold(scope, children(scope, schema, value), value);
}

function unevaluatedParts(_: JsonValue, schema: SchemaObject, scope: Scope): ValueTest {
  return (value) => allHold(scope, unevaluated(scope, schema, value), value);
}

function allHold({ holds }: Scope, found: readonly Child[], value: JsonValue): boolean {
  return found.every(({ schema, key }) => holds(schema, partOf(value, key)));
}

function propertyNames(inner: JsonValue, _: SchemaObject, { holds }: Scope): ValueTest {
  return (value) => !isObject(value) || Object.keys(value).every((name) => holds(inner, name));
}

function contains(inner: JsonValue, schema: SchemaObject, { holds }: Scope): ValueTest {
  const least = Number(keyword(schema, "minContains") ?? 1);
  const most = Number(keyword(schema, "maxContains") ?? Number.POSITIVE_INFINITY);
  return (value) => {
    if (!Array.isArray(value)) return true;
    const found = value.filter((item) => holds(inner, item)).length;
    return found >= least && found <= most;
  };
}

/** `if` with its `then` and `else`, which say nothing without it. */
function condition(inner: JsonValue, schema: SchemaObject, { holds }: Scope): ValueTest {
  const whenTrue = keyword(schema, "then") ?? true;
  const whenFalse = keyword(schema, "else") ?? true;
  return (value) => holds(holds(inner, value) ? whenTrue : whenFalse, value);
}
