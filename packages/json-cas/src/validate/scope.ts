import { Check } from "typebox/schema";
import type { JsonValue } from "../node/index.js";
import {
  entriesOf,
  isObject,
  keyword,
  type Positions,
  positionsOf,
  resolveRef,
  type SchemaObject,
  textsOf,
} from "../schema/index.js";
import { bareCopy, countParts } from "./instance.js";
import { patternTest } from "./refine.js";
import { createTranslator, type LibrarySchema } from "./translate.js";

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
// look at a `$ref` (the library looks six times when it follows one) or one schema explained.
const BASE_STEPS = 500_000;
const STEPS_PER_PART = 100;

const check: (context: object, schema: LibrarySchema, value: unknown) => boolean = Check as never;

/** Prepares a schema document for any number of values. */
export function createValidator(root: JsonValue): Validator {
  const positions = positionsOf(root);
  const patterns = patternCache();
  const bare = positions.all.some(({ schema }) => isObject(schema) && namesInherited(schema));
  let left = 0;
  const scope: Scope = {
    root,
    holds: (schema, part) =>
      check(translator.references, translator.schema(schema), bare ? bareCopy(part) : part),
    target: (ref) => resolveRef(positions, ref) ?? false,
    keyMatches: (pattern, key) => patterns(pattern)(key),
    spend: () => {
      left -= 1;
      if (left < 0) throw new TooMuchWork();
    },
  };
  const translator = createTranslator(positions, scope);

  function open(value: JsonValue): Scope {
    left = BASE_STEPS + STEPS_PER_PART * countParts(value);
    return scope;
  }
  return { positions, open };
}

function patternCache(): (source: string) => (text: string) => boolean {
  const known = new Map<string, (text: string) => boolean>();
  return (source) => {
    const test = known.get(source) ?? patternTest(source);
    known.set(source, test);
    return test;
  };
}

/** Does the schema name a property that every object inherits, like `toString`? */
function namesInherited(schema: SchemaObject): boolean {
  const names = [
    ...textsOf(keyword(schema, "required")),
    ...["properties", "dependentSchemas", "dependentRequired"].flatMap((name) =>
      entriesOf(keyword(schema, name)).flatMap(([key, value]) => [key, ...textsOf(value)]),
    ),
  ];
  return names.some((name) => name in Object.prototype);
}
