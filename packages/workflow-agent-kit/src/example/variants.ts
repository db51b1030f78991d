import type { JsonObject, JsonValue } from "@uncaged/json-cas";
import { isList, isObject } from "../schema/index.js";
import { findExample } from "./search.js";
import type { VariantExample } from "./types.js";

/** One example per variant of the root's union; one alone where the root is no union. */
export function examplesOf(schema: JsonValue): readonly VariantExample[] {
  const key = isObject(schema) ? (["oneOf", "anyOf"].find((name) => isList(schema[name])) ?? null) : null;
  if (!isObject(schema) || key === null) {
    return [{ variant: null, example: findExample(schema, schema, [schema]) }];
  }
  const { [key]: variants, ...rest } = schema;
  return (isList(variants) ? variants : []).map((variant) => {
    const narrowed = narrow(rest, variant);
    return { variant, example: findExample(schema, narrowed, [schema, narrowed]) };
  });
}

function narrow({ allOf, ...rest }: JsonObject, variant: JsonValue): JsonObject {
  return { ...rest, allOf: [...(isList(allOf) ? allOf : []), variant] };
}
