import { META_SCHEMA } from "@uncaged/json-schema";
import { encodeCopy, sameBytes } from "./codec/index.js";
import { META_SCHEMA_HASH } from "./meta-schema.js";
import type { Hash, JsonValue } from "./node.js";

// XXH64 is no proof of content: an attacker can make other bytes with the hash of a type. What the references of a node are, and
// whether it is valid, is decided by its type; so a program that knows a type by its source takes it from there.

const types = new Map<Hash, JsonValue>([[META_SCHEMA_HASH, META_SCHEMA]]);

/** The types that this program knows, the meta-schema first: no other bytes count under their hashes. */
export const builtInTypes: ReadonlyMap<Hash, JsonValue> = types;

/** Called when a program is loaded, before it reads a store. */
export function declareTypes(declared: Iterable<readonly [type: Hash, schema: JsonValue]>): void {
  for (const [type, schema] of declared) types.set(type, schema);
}

const encoded = new Map<Hash, Uint8Array>();

/** `false` for what has the hash of a built-in type without being it. */
export function isItsBuiltIn(hash: Hash, type: Hash, payloadBytes: Uint8Array): boolean {
  const schema = types.get(hash);
  if (schema === undefined) return true;
  const bytes = encoded.get(hash) ?? encodeCopy(schema);
  encoded.set(hash, bytes);
  return type === META_SCHEMA_HASH && sameBytes(payloadBytes, bytes);
}
