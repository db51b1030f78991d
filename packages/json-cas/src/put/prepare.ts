import { checkSchema } from "../check-schema/index.js";
import { encodeCopy, sameBytes } from "../codec/index.js";
import { CasError } from "../fault/index.js";
import { type Hasher, hashBytes, isHash } from "../hash/index.js";
import { hashEncoded, isMetaSchema, META_SCHEMA_HASH } from "../meta-schema/index.js";
import type { CasNode, Hash, JsonValue } from "../node/index.js";
import { isSelfTyped, type Reader, schemaIn, validatorOf } from "../node-type/index.js";
import { freezeCopy } from "../storable/index.js";
import { violationsOf } from "../validate/index.js";
import type { PreparedNode } from "./types.js";

/**
 * All checks that stand before a write: the payload is JSON, its type is a schema of the store, and it is valid under
 * it. Throws `NOT_STORABLE`, `MALFORMED_HASH`, `UNKNOWN_TYPE`, `INVALID_SCHEMA` or `INVALID_PAYLOAD`; writes nothing.
 */
export function prepareNode(store: Reader, type: Hash, payload: JsonValue): PreparedNode {
  return prepareWith(hashBytes, store, type, payload);
}

export function prepareWith(hasher: Hasher, store: Reader, type: Hash, payload: JsonValue): PreparedNode {
  if (!isHash(type)) throw new CasError({ code: "MALFORMED_HASH", value: String(type) });
  const copy = freezeCopy(payload);
  const payloadBytes = encodeCopy(copy);
  // The meta-schema is the one node that is there before its type.
  if (!isMetaSchema(type, payloadBytes)) checkAgainstType(store, type, copy);
  return { hash: hashEncoded(hasher, type, payloadBytes), type, payload: copy, payloadBytes };
}

function checkAgainstType(store: Reader, type: Hash, payload: JsonValue): void {
  const typeNode = store.get(type);
  const schema = typeNode === null ? null : schemaIn(store, type, typeNode);
  if (typeNode === null || schema === null) throw new CasError({ code: "UNKNOWN_TYPE", type });
  if (type === META_SCHEMA_HASH || isSelfTyped(type, typeNode)) refuseBadSchema(payload);
  else checkAgainstSchema(type, typeNode, schema, payload);
}

function checkAgainstSchema(type: Hash, typeNode: CasNode, schema: JsonValue, payload: JsonValue): void {
  // A schema from elsewhere was never checked; a keyword that we do not know would silently accept everything.
  if (typeNode.type !== META_SCHEMA_HASH) refuseBadSchema(schema);
  const violations = violationsOf(
    validatorOf(type, () => schema),
    payload,
  );
  if (violations.length > 0) throw new CasError({ code: "INVALID_PAYLOAD", type, violations });
}

/** Throws `INVALID_SCHEMA` for what `putSchema` would not take. */
export function refuseBadSchema(schema: JsonValue): void {
  const problems = checkSchema(schema);
  if (problems.length > 0) throw new CasError({ code: "INVALID_SCHEMA", problems });
}

/** Throws `HASH_COLLISION` unless the node that has the hash is the one that was to be put. */
export function compareContent(prepared: PreparedNode, existing: CasNode): void {
  const same =
    existing.type === prepared.type && sameBytes(encodeCopy(existing.payload), prepared.payloadBytes);
  if (!same) throw new CasError({ code: "HASH_COLLISION", hash: prepared.hash });
}
