import { META_SCHEMA, violationsOf } from "@uncaged/json-schema";
import { encodeCopy, freezeCopy, sameBytes } from "./encode.js";
import { CasError } from "./fault.js";
import { type Hasher, hashBytes, isHash } from "./hash.js";
import { hashEncoded, isItsBuiltIn, isMetaSchema, META_SCHEMA_HASH } from "./identity.js";
import type { CasNode, Hash, JsonValue, Store } from "./node.js";
import {
  checkSchema,
  getOrDamaged,
  isSelfTyped,
  type Reader,
  readType,
  schemaIn,
  validatorOf,
} from "./node-type.js";

/** A node that has passed every check and may be written. */
type PreparedNode = {
  readonly hash: Hash;
  readonly type: Hash;
  /** A frozen copy of what the caller gave. */
  readonly payload: JsonValue;
  readonly payloadBytes: Uint8Array;
};

/** What a backend brings to `putNode`; every function is synchronous. */
export type Backend = {
  /** `null` for what is absent; throws `CasError` `NODE_DAMAGED` for what cannot be trusted. */
  readonly get: (hash: Hash) => CasNode | null;
  /** Whether there certainly is no such node. Asked before `get` of one that mostly is not there: cheaper than to find none. */
  readonly lacks: (hash: Hash) => boolean;
  /**
   * Writes a node that should not be there; `false` when another writer was faster. `payloadBytes` is the payload's DAG-CBOR,
   * for `encodeAround`.
   */
  readonly create: (hash: Hash, node: CasNode, payloadBytes: Uint8Array) => boolean;
  /** Writes over what is there and damaged. */
  readonly replace: (hash: Hash, node: CasNode) => void;
  /** The node is there already: make that durable. */
  readonly confirm: (hash: Hash, node: CasNode) => void;
  /** Epoch ms. */
  readonly now: () => number;
};

/**
 * All checks that stand before a write: the payload is JSON, its type is a schema of the store, and it is valid under
 * it. Throws `NOT_STORABLE`, `MALFORMED_HASH`, `UNKNOWN_TYPE`, `INVALID_SCHEMA` or `INVALID_PAYLOAD`; writes nothing.
 */
function prepareWith(hasher: Hasher, store: Reader, type: Hash, payload: JsonValue): PreparedNode {
  if (!isHash(type)) throw new CasError({ code: "MALFORMED_HASH", value: String(type) });
  const copy = freezeCopy(payload);
  const payloadBytes = encodeCopy(copy);
  // The meta-schema is the one node that is there before its type.
  if (!isMetaSchema(type, payloadBytes)) checkAgainstType(store, type, copy);
  const hash = hashEncoded(hasher, type, payloadBytes);
  if (!isItsBuiltIn(hash, type, payloadBytes)) throw new CasError({ code: "HASH_COLLISION", hash });
  return { hash, type, payload: copy, payloadBytes };
}

function checkAgainstType(store: Reader, type: Hash, payload: JsonValue): void {
  const typeNode = readType(store, type);
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
function refuseBadSchema(schema: JsonValue): void {
  const problems = checkSchema(schema);
  if (problems.length > 0) throw new CasError({ code: "INVALID_SCHEMA", problems });
}

/** Throws `HASH_COLLISION` unless the node that has the hash is the one that was to be put. */
export function compareContent(prepared: PreparedNode, existing: CasNode): void {
  const same =
    existing.type === prepared.type && sameBytes(encodeCopy(existing.payload), prepared.payloadBytes);
  if (!same) throw new CasError({ code: "HASH_COLLISION", hash: prepared.hash });
}

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

/** How often a node may appear and vanish again between our looking and our writing. */
const ATTEMPTS = 5;

/** `put` over any backend: check everything, look what is there, then write, confirm or replace. */
export function putNode(backend: Backend, type: Hash, payload: JsonValue): Hash {
  return putNodeWith(hashBytes, backend, type, payload);
}

export function putNodeWith(hasher: Hasher, backend: Backend, type: Hash, payload: JsonValue): Hash {
  const prepared = prepareWith(hasher, backend, type, payload);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (settle(backend, prepared)) return prepared.hash;
  }
  const reason = "it appears and vanishes while it is being written";
  throw new CasError({ code: "NODE_DAMAGED", hash: prepared.hash, file: null, reason });
}

/** One look and one act; false when another writer came in between. */
function settle(backend: Backend, prepared: PreparedNode): boolean {
  const { hash, payloadBytes } = prepared;
  const found = backend.lacks(hash) ? null : getOrDamaged(backend, hash);
  if (found === null) return backend.create(hash, fresh(backend, prepared), payloadBytes);
  if (found === "damaged") backend.replace(hash, fresh(backend, prepared));
  else {
    compareContent(prepared, found);
    backend.confirm(hash, found);
  }
  return true;
}

function fresh(backend: Backend, { type, payload }: PreparedNode): CasNode {
  return Object.freeze({ type, payload, timestamp: backend.now() });
}
