import type { Hash, JsonObject, JsonValue } from "@uncaged/json-cas";
import { isList, isObject } from "../schema/index.js";
import { findExample } from "./search.js";
import type { VariantExample } from "./types.js";

const MOST_EXAMPLES = 24;

/** Each example is held against the whole union, so what all of them cost grows with the square of its size. */
const MOST_COMPARISONS = 5_000;

/** One example per variant of the root's union, for the first ones; one alone where the root is no union. */
export function examplesOf(schema: JsonValue, hashes: readonly Hash[]): readonly VariantExample[] {
  const key = isObject(schema) ? (["oneOf", "anyOf"].find((name) => isList(schema[name])) ?? null) : null;
  if (!isObject(schema) || key === null) {
    return [{ variant: null, example: findExample(schema, schema, [schema], hashes) }];
  }
  const { [key]: variants, ...rest } = schema;
  const all = isList(variants) ? variants : [];
  const most = Math.max(1, Math.min(MOST_EXAMPLES, Math.floor(MOST_COMPARISONS / all.length)));
  return all.slice(0, most).map((variant) => {
    const narrowed = narrow(rest, variant);
    return { variant, example: findExample(schema, narrowed, [schema, narrowed], hashes) };
  });
}

function narrow({ allOf, ...rest }: JsonObject, variant: JsonValue): JsonObject {
  return { ...rest, allOf: [...(isList(allOf) ? allOf : []), variant] };
}
