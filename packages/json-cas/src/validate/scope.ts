import type { JsonValue } from "../node/index.js";
import { isObject, keyword, type Positions, positionsOf, resolveRef } from "../schema/index.js";
import { patternTest, testOf, type ValueTest } from "./tests.js";

/** One schema document, which can be asked about values. */
export type Scope = {
  readonly root: JsonValue;
  /** Does the value satisfy this schema of the document? Throws `TooMuchWork`. */
  readonly holds: (schema: JsonValue, value: JsonValue) => boolean;
  /** What a `$ref` of the document means; `false` where it leads nowhere. */
  readonly target: (ref: string) => JsonValue;
  readonly keyMatches: (pattern: string, key: string) => boolean;
  /** Counts one more step; throws `TooMuchWork` beyond the bound. */
  readonly spend: () => void;
};

export type Validator = {
  readonly positions: Positions;
  /** Allows for as much work as the value is worth. */
  readonly open: (value: JsonValue) => Scope;
};

export class TooMuchWork extends Error {}

// Without `$ref`, work is at most schema × value. With it, 30 short definitions can ask for 2^30 checks. A step is one
// reference followed or one schema explained.
const BASE_STEPS = 500_000;
const STEPS_PER_PART = 100;

/** Prepares a schema document for any number of values. */
export function createValidator(root: JsonValue): Validator {
  const positions = positionsOf(root);
  const patterns = patternCache();
  const tests = new WeakMap<object, ValueTest>();
  const targets = targetsOf(positions);
  let left = 0;
  const scope: Scope = {
    root,
    holds: (schema, part) => {
      // What is no schema (in a foreign document) asks for nothing.
      if (!isObject(schema)) return schema !== false;
      const test = tests.get(schema) ?? testOf(schema, scope);
      tests.set(schema, test);
      return test(part);
    },
    target: (ref) => targets.get(ref) ?? false,
    keyMatches: (pattern, key) => patterns(pattern)(key),
    spend: () => {
      left -= 1;
      if (left < 0) throw new TooMuchWork();
    },
  };

  function open(value: JsonValue): Scope {
    left = BASE_STEPS + STEPS_PER_PART * countParts(value);
    return scope;
  }
  return { positions, open };
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

/** How many values the value is made of, itself included. */
function countParts(value: JsonValue): number {
  let parts = 0;
  const rest: JsonValue[] = [value];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    parts += 1;
    if (typeof next === "object" && next !== null) for (const part of Object.values(next)) rest.push(part);
  }
  return parts;
}

function patternCache(): (source: string) => (text: string) => boolean {
  const known = new Map<string, (text: string) => boolean>();
  return (source) => {
    const test = known.get(source) ?? patternTest(source);
    known.set(source, test);
    return test;
  };
}
