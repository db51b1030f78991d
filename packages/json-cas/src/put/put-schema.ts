import { META_SCHEMA, META_SCHEMA_HASH } from "../meta-schema/index.js";
import type { Hash, JsonValue, Store } from "../node/index.js";
import { refuseBadSchema } from "./prepare.js";

/** Puts the meta-schema, which every schema needs; returns its hash, which is always the same. */
export function bootstrap(store: Store): Promise<Hash> {
  return store.put(META_SCHEMA_HASH, META_SCHEMA);
}

/**
 * Stores a JSON Schema (2020-12, local references only) and returns its hash, for use as the type of nodes.
 * Throws `INVALID_SCHEMA` with all problems.
 */
export async function putSchema(store: Store, schema: JsonValue): Promise<Hash> {
  if (!store.has(META_SCHEMA_HASH)) {
    // `put` refuses a bad schema too, but only after the meta-schema would have been written.
    refuseBadSchema(schema);
    await bootstrap(store);
  }
  return store.put(META_SCHEMA_HASH, schema);
}
