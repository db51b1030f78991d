import { META_SCHEMA } from "@uncaged/json-schema";
import { encode, encodeCopy, sameBytes } from "./codec/index.js";
import { type Hasher, hashBytes, hashNode } from "./hash.js";
import type { Hash, JsonValue } from "./node.js";

/** The meta-schema's own hash, which is also its type. A constant, so that a program that only reads computes nothing. */
export const META_SCHEMA_HASH = "6SRVT3BFQTWV3" as Hash;

/** Hash of a node of that type; whether the type exists is not asked. Throws `NOT_STORABLE`. */
export function computeHash(type: Hash, payload: JsonValue): Hash {
  return hashEncoded(hashBytes, type, encode(payload));
}

/** Hash of a node that is its own type: over the payload alone. */
export function selfHash(payload: JsonValue): Hash {
  return hashBytes(encode(payload));
}

/** `computeHash` over bytes; the meta-schema under its own type is the one self-typed node that can be put. */
export function hashEncoded(hasher: Hasher, type: Hash, payloadBytes: Uint8Array): Hash {
  if (isMetaSchema(type, payloadBytes)) return META_SCHEMA_HASH;
  return hashNode(hasher, type, payloadBytes);
}

export function isMetaSchema(type: Hash, payloadBytes: Uint8Array): boolean {
  // The hash first: other schemas, which are nearly all, then need not wait for the meta-schema's bytes.
  const mayBe = type === META_SCHEMA_HASH && hashBytes(payloadBytes) === META_SCHEMA_HASH;
  return mayBe && sameBytes(payloadBytes, encodeCopy(META_SCHEMA));
}

/**
 * The types of schemas in stores that an original json-cas has written, and which one. It changed its meta-schema
 * between releases, and the later one does not hash it as any other node; the schemas below are JSON Schemas all the
 * same, and every other node's hash holds.
 */
export const FOREIGN_ROOTS: ReadonlyMap<Hash, string> = new Map([
  ["B3NCX47GJCS7A" as Hash, "json-cas 0.4"],
  ["3RZYZ9X0Y34K7" as Hash, "json-cas 0.5"],
]);
