import { isObject, type JsonValue } from "../json.js";
import { compilePattern } from "../pattern.js";
import { PatternError } from "../pattern-syntax.js";
import { entriesOf, keyword, listOf, type SchemaObject, textsOf } from "../schema.js";
import { membersHold, partOf, unevaluated } from "./applicators.js";
import { allDiffer, hasFormat, isMultipleOf, keyOf } from "./keywords.js";
import type { Scope } from "./validate.js";

export type ValueTest = (value: JsonValue) => boolean;

/** What a schema says: all of it, and keyword by keyword. */
export type SchemaTests = { readonly all: ValueTest; readonly named: ReadonlyMap<string, ValueTest> };

/** The test of a keyword from its argument, and from its neighbours in the schema where it speaks of them. */
type Maker = (argument: JsonValue, schema: SchemaObject, scope: Scope) => ValueTest;

const MAKERS: ReadonlyMap<string, Maker> = new Map<string, Maker>([
  ["$ref", reference],
  ["type", type],
  ["const", (wanted, _, scope) => oneOfValues([wanted], scope)],
  ["enum", (options, _, scope) => oneOfValues(listOf(options), scope)],
  ["maximum", numeric((value, limit) => value <= limit)],
  ["exclusiveMaximum", numeric((value, limit) => value < limit)],
  ["minimum", numeric((value, limit) => value >= limit)],
  ["exclusiveMinimum", numeric((value, limit) => value > limit)],
  ["multipleOf", numeric(isMultipleOf)],
  ["maxLength", textual((text, limit, spend) => text.length <= limit || characters(text, spend) <= limit)],
  ["minLength", textual((text, limit, spend) => text.length >= limit && characters(text, spend) >= limit)],
  ["pattern", pattern],
  ["format", format],
  ["maxItems", counted((count, limit) => count <= limit)],
  ["minItems", counted((count, limit) => count >= limit)],
  [
    "uniqueItems",
    (wanted, _, { spend }) =>
      (value) =>
        wanted !== true || !Array.isArray(value) || allDiffer(value, spend),
  ],
  ["maxProperties", membered((count, limit) => count <= limit)],
  ["minProperties", membered((count, limit) => count >= limit)],
  ["required", (names, _, { spend }) => required(textsOf(names), spend)],
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

/** The tests of a schema. An unknown keyword has none. */
export function testsOf(schema: SchemaObject, scope: Scope): SchemaTests {
  const named = new Map<string, ValueTest>();
  let hasParts = false;
  for (const [name, argument] of Object.entries(schema)) {
    if (hasParts && PARTS.has(name)) continue;
    hasParts ||= PARTS.has(name);
    const make = MAKERS.get(name);
    if (make !== undefined) named.set(name, make(argument, schema, scope));
  }
  const tests = [...named.values()];
  return { all: (value) => tests.every((test) => test(value)), named };
}

/** What a schema itself costs is paid by no value: its size bounds it. */
const FREE = (): void => {};

/** Looked up, not compared one by one: a schema may list thousands, for each of thousands of items. */
function oneOfValues(options: readonly JsonValue[], { spend }: Scope): ValueTest {
  const keys = new Set(options.map((option) => keyOf(option, FREE)));
  const hasContainers = options.some((option) => typeof option === "object" && option !== null);
  return (value) =>
    (hasContainers || typeof value !== "object" || value === null) && keys.has(keyOf(value, spend));
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

type Compare<T> = (value: T, limit: number, spend: Scope["spend"]) => boolean;

/** A keyword about values of one kind, with a number as its argument. */
function limited<T>(of: (value: JsonValue) => T | null, compare: Compare<T>): Maker {
  return (limit, _, { spend }) =>
    (value) => {
      const measured = of(value);
      return measured === null || typeof limit !== "number" || compare(measured, limit, spend);
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
  return limited(
    (value) => (isObject(value) ? Object.keys(value).length : null),
    (count, limit, spend) => {
      spend(stepsFor(count));
      return compare(count, limit, spend);
    },
  );
}

/** Many small things that are looked at in one go. */
function stepsFor(count: number): number {
  return 1 + Math.floor(count / 8);
}

/** Unicode characters; UTF-16 units are never fewer. */
function characters(text: string, spend: Scope["spend"]): number {
  spend(stepsFor(text.length));
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function pattern(source: JsonValue, _: SchemaObject, scope: Scope): ValueTest {
  let test: ((text: string) => boolean) | null = null;
  return (value) => {
    if (typeof value !== "string") return true;
    test ??= patternTest(String(source), scope);
    return test(value);
  };
}

type PatternScope = Pick<Scope, "spend" | "value" | "keep">;

/** A pattern that is none, which only a foreign schema can have, fits nothing. */
export function patternTest(source: string, scope: PatternScope): (text: string) => boolean {
  const { spend } = scope;
  try {
    const { test, states } = compilePattern(source);
    scope.keep(states);
    let paidFor = -1;
    // Built once and paid for with each value: what a value may cost does not depend on those that came before.
    return (text) => {
      if (paidFor !== scope.value()) spend(states);
      paidFor = scope.value();
      return test(text, spend);
    };
  } catch (error) {
    if (error instanceof PatternError) return () => false;
    throw error;
  }
}

function format(name: JsonValue, _: SchemaObject, { spend, formats }: Scope): ValueTest {
  return (value) => {
    if (typeof value !== "string") return true;
    spend(stepsFor(value.length));
    return hasFormat(String(name), value, formats);
  };
}

function required(names: readonly string[], spend: Scope["spend"]): ValueTest {
  const steps = stepsFor(names.length);
  return (value) => {
    spend(steps);
    return !isObject(value) || names.every((name) => Object.hasOwn(value, name));
  };
}

function dependentRequired(causes: JsonValue, _: SchemaObject, { spend }: Scope): ValueTest {
  const tests = entriesOf(causes).map(([cause, names]) => ({ cause, fits: required(textsOf(names), spend) }));
  const steps = stepsFor(tests.length);
  return (value) => {
    spend(steps);
    return !isObject(value) || tests.every(({ cause, fits }) => !Object.hasOwn(value, cause) || fits(value));
  };
}

function dependentSchemas(causes: JsonValue, _: SchemaObject, { holds, spend }: Scope): ValueTest {
  const entries = entriesOf(causes);
  const steps = stepsFor(entries.length);
  return (value) => {
    spend(steps);
    return (
      !isObject(value) ||
      entries.every(([cause, inner]) => !Object.hasOwn(value, cause) || holds(inner, value))
    );
  };
}

function parts(_: JsonValue, schema: SchemaObject, scope: Scope): ValueTest {
  return membersHold(scope, schema);
}

function unevaluatedParts(_: JsonValue, schema: SchemaObject, scope: Scope): ValueTest {
  return (value) =>
    unevaluated(scope, schema, value).every((child) => scope.holds(child.schema, partOf(value, child.key)));
}

function propertyNames(inner: JsonValue, _: SchemaObject, { holds }: Scope): ValueTest {
  return (value) => !isObject(value) || Object.keys(value).every((name) => holds(inner, name));
}

function contains(inner: JsonValue, schema: SchemaObject, { holds }: Scope): ValueTest {
  const least = Number(keyword(schema, "minContains") ?? 1);
  const most = Number(keyword(schema, "maxContains") ?? Number.POSITIVE_INFINITY);
  return (value) => {
    if (!Array.isArray(value)) return true;
    let found = 0;
    for (const item of value) if (holds(inner, item)) found += 1;
    return found >= least && found <= most;
  };
}

/** `if` with its `then` and `else`, which say nothing without it. */
function condition(inner: JsonValue, schema: SchemaObject, { holds }: Scope): ValueTest {
  const whenTrue = keyword(schema, "then") ?? true;
  const whenFalse = keyword(schema, "else") ?? true;
  return (value) => holds(holds(inner, value) ? whenTrue : whenFalse, value);
}
