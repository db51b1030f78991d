import { META_SCHEMA } from "@uncaged/json-schema";
import { payloadBytesOf } from "./decode.js";
import { encode, encodeCopy, sameBytes } from "./encode.js";
import { type Hasher, hashBytes, hashNode } from "./hash.js";
import type { CasNode, Hash, JsonValue } from "./node.js";

/** The meta-schema's own hash, which is also its type. A constant, so that a program that only reads computes nothing. */
export const META_SCHEMA_HASH = "6SRVT3BFQTWV3" as Hash;

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

/** Is this the node that the hash names? A node that is its own type is hashed without one. */
export function verify(hash: Hash, node: CasNode): boolean {
  return isIts(hash, node.type, encode(node.payload));
}

/** `verify` for a node that was just decoded from these bytes: its payload need not be encoded a second time. */
export function verifyEncoded(hash: Hash, node: CasNode, bytes: Uint8Array): boolean {
  return isIts(hash, node.type, payloadBytesOf(bytes, node));
}

function isIts(hash: Hash, type: Hash, payload: Uint8Array): boolean {
  const computed = type === hash ? hashBytes(payload) : hashNode(hashBytes, type, payload);
  return computed === hash && isItsBuiltIn(hash, type, payload);
}
