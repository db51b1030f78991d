import { copyJson, isObject, type JsonValue } from "../json.js";
import type { Violation } from "../problems.js";
import { keyword, type Positions, positionsOf, resolveRef, type SchemaObject } from "../schema.js";
import { explainInto } from "./explain.js";
import type { Formats } from "./keywords.js";
import { patternTest, type SchemaTests, testsOf } from "./tests.js";
import { valueWords } from "./words.js";

/** One schema document, which can be asked about values. */
export type Scope = {
  readonly root: JsonValue;
  /** Those that the schema may name besides JSON Schema's own. */
  readonly formats: Formats;
  /** Does the value satisfy this schema of the document? Throws `TooMuchWork`. */
  readonly holds: (schema: JsonValue, value: JsonValue) => boolean;
  /** The same for one keyword of a schema; `true` where the keyword says nothing. */
  readonly keywordHolds: (schema: SchemaObject, name: string, value: JsonValue) => boolean;
  /** What a `$ref` of the document means; `false` where it leads nowhere. */
  readonly target: (ref: string) => JsonValue;
  readonly keyMatches: (pattern: string, key: string) => boolean;
  /** Counts work, one step unless told; throws `TooMuchWork` beyond the bound. */
  readonly spend: (steps?: number) => void;
  /** Counts states of patterns, which are kept; throws `TooMuchWork` beyond what `checkSchema` lets through. */
  readonly keep: (states: number) => void;
  /** Another number with each value that is asked about. */
  readonly value: () => number;
};

export type Validator = {
  readonly positions: Positions;
  /** Allows for as much work as the value is worth. */
  readonly open: (value: JsonValue) => Scope;
  /** Allows for what it takes to say why a value does not fit. */
  readonly explaining: () => Scope;
};

export class TooMuchWork extends Error {}

// Work is counted, not timed, so that every machine and runtime gives the same answer. A step is a schema asked about a
// value, a reference followed, a member looked at, eight states of a pattern, sixteen characters compared: 20 to 100 ns each.
// A reply of 1 MB under a role's usual schema takes some 3 % of what it is allowed.
const BASE_STEPS = 1_000_000;
const STEPS_PER_PART = 100;

/** Two seconds for most keywords, five for `uniqueItems` over objects. */
const MOST_STEPS = 20_000_000;

/** Enough for a hundred violations of a usual schema many times over. */
const EXPLAIN_STEPS = 5_000_000;

/** States of patterns, twice what `checkSchema` lets through: a pattern may stand as one and name properties too. */
const MOST_KEPT = 400_000;

/** Characters of a text that are worth as much as one more value. */
const TEXT_PART = 64;

/** Prepares a schema document for any number of values. */
export function createValidator(root: JsonValue, formats: Formats = new Map()): Validator {
  const positions = positionsOf(root);
  const tests = new WeakMap<object, SchemaTests>();
  const targets = targetsOf(positions);
  let left = 0;
  let value = 0;
  const spend = (steps = 1): void => {
    left -= steps;
    if (left < 0) throw new TooMuchWork();
  };
  const testsFor = (schema: SchemaObject): SchemaTests => {
    const known = tests.get(schema);
    if (known !== undefined) return known;
    const made = testsOf(schema, scope);
    tests.set(schema, made);
    return made;
  };
  let kept = 0;
  const keep = (states: number): void => {
    if (kept + states > MOST_KEPT) throw new TooMuchWork();
    kept += states;
  };
  const keyMatches = patternCache({ spend, keep, value: () => value });
  const scope: Scope = {
    root,
    formats,
    holds: (schema, part) => {
      spend();
      // A value that is not a schema (in a foreign document) allows everything.
      return isObject(schema) ? testsFor(schema).all(part) : schema !== false;
    },
    keywordHolds: (schema, name, part) => testsFor(schema).named.get(name)?.(part) ?? true,
    target: (ref) => targets.get(ref) ?? false,
    keyMatches,
    spend,
    keep,
    value: () => value,
  };

  function open(payload: JsonValue): Scope {
    value += 1;
    left = Math.min(BASE_STEPS + STEPS_PER_PART * countParts(payload), MOST_STEPS);
    return scope;
  }
  function explaining(): Scope {
    value += 1;
    left = EXPLAIN_STEPS;
    return scope;
  }
  return { positions, open, explaining };
}

/** Every `$ref` of the document with what it means; one that leads nowhere is left out. */
function targetsOf(positions: Positions): ReadonlyMap<string, JsonValue> {
  const targets = new Map<string, JsonValue>();
  for (const { schema } of positions.all) {
    const ref = isObject(schema) ? keyword(schema, "$ref") : undefined;
    const target = typeof ref === "string" ? resolveRef(positions, ref) : undefined;
    if (typeof ref === "string" && target !== undefined) targets.set(ref, target);
  }
  return targets;
}

/** How many values the value is made of, itself included. Storable values are at most 128 deep. */
function countParts(value: JsonValue): number {
  if (typeof value === "string") return 1 + Math.floor(value.length / TEXT_PART);
  if (typeof value !== "object" || value === null) return 1;
  let parts = 1;
  if (Array.isArray(value)) for (const item of value) parts += countParts(item);
  else for (const key in value) parts += countParts((value as SchemaObject)[key] ?? null);
  return parts;
}

function patternCache(scope: Pick<Scope, "spend" | "value" | "keep">): Scope["keyMatches"] {
  const known = new Map<string, (text: string) => boolean>();
  return (source, key) => {
    scope.spend();
    const test = known.get(source) ?? patternTest(source, scope);
    known.set(source, test);
    return test(key);
  };
}

/** All violations of the schema by the value; none means valid. Never throws, whatever the schema says. */
export function validate(
  schema: JsonValue,
  value: unknown,
  formats: Formats = new Map(),
): readonly Violation[] {
  const copied = copyJson(value);
  if (copied.ok) return violationsOf(createValidator(schema, formats), copied.value);
  const { path, reason } = copied.error;
  return [{ path, keyword: "json", expected: "JSON", got: reason }];
}

/** `validate` with a prepared schema and a value that is known to be JSON. */
export function violationsOf(validator: Validator, value: JsonValue): readonly Violation[] {
  try {
    const scope = validator.open(value);
    return scope.holds(scope.root, value) ? [] : explained(validator.explaining(), value);
  } catch (error) {
    if (!isTooMuch(error)) throw error;
    return [TOO_EXPENSIVE];
  }
}

/** Nothing has been shown then, so the answer is no. */
const TOO_EXPENSIVE: Violation = {
  path: "",
  keyword: "SCHEMA_TOO_EXPENSIVE",
  expected: "a schema that can be checked with bounded work",
  got: "one whose branches, references, patterns or lists multiply with this value beyond that",
};

/** At least one violation: the value does not fit, whether or not there is enough work left to say where. */
function explained(scope: Scope, value: JsonValue): readonly Violation[] {
  const violations: Violation[] = [];
  try {
    explainInto(violations, { scope, value, path: "" }, [scope.root]);
  } catch (error) {
    if (!isTooMuch(error)) throw error;
  }
  if (violations.length > 0) return unique(violations);
  return [{ path: "", keyword: "schema", expected: "a value that fits the schema", got: valueWords(value) }];
}

function isTooMuch(error: unknown): boolean {
  return error instanceof TooMuchWork || error instanceof RangeError;
}

/** One fault reached on two ways through the schema is still one. */
function unique(violations: readonly Violation[]): readonly Violation[] {
  return [...new Map(violations.map((violation) => [JSON.stringify(violation), violation])).values()];
}
