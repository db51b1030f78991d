import { CasError, getSchema, type JsonValue, resolveHash, type Store } from "@uncaged/json-cas";

/** The schema that a person named; throws if there is no such node or it is not a schema. */
export function namedSchema(store: Store, text: string): JsonValue {
  const hash = resolveHash(store, text);
  const schema = getSchema(store, hash);
  if (schema === null) throw new CasError({ code: "UNKNOWN_TYPE", type: hash });
  return schema;
}
