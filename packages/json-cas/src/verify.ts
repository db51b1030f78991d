import type { Violation } from "@uncaged/json-schema";
import { isItsBuiltIn } from "./built-in.js";
import { encode, payloadBytesOf } from "./codec/index.js";
import { CasError } from "./fault.js";
import { hashBytes, hashNode } from "./hash.js";
import type { CasNode, Hash } from "./node.js";
import { getSchema, type Reader, validate } from "./node-type.js";
import { refs } from "./refs.js";

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

/** One thing that is wrong with one node. */
export type Finding =
  | { readonly kind: "missing"; readonly hash: Hash }
  | { readonly kind: "damaged"; readonly hash: Hash; readonly reason: string }
  | { readonly kind: "wrong-hash"; readonly hash: Hash }
  | { readonly kind: "unknown-type"; readonly hash: Hash; readonly type: Hash }
  | { readonly kind: "invalid"; readonly hash: Hash; readonly violations: readonly Violation[] }
  | { readonly kind: "dangling"; readonly hash: Hash; readonly missing: readonly Hash[] };

/** Everything that is wrong with a node: its bytes, its hash, its schema, its payload, its references. */
export function verifyNode(
  store: Reader & { readonly has: (hash: Hash) => boolean },
  hash: Hash,
): readonly Finding[] {
  const found = read(store, hash);
  if ("kind" in found) return [found];
  const { node } = found;
  // A wrong hash says that the content is not what was put, so nothing more is worth asking of it.
  if (!verify(hash, node)) return [{ kind: "wrong-hash", hash }];
  if (!hasSchema(store, node.type)) return [{ kind: "unknown-type", hash, type: node.type }];
  const violations = validate(store, node);
  const missing = refs(store, node).filter((reference) => !store.has(reference));
  return [
    ...(violations.length > 0 ? [{ kind: "invalid", hash, violations } as const] : []),
    ...(missing.length > 0 ? [{ kind: "dangling", hash, missing } as const] : []),
  ];
}

function read(store: Reader, hash: Hash): { readonly node: CasNode } | Finding {
  try {
    const node = store.get(hash);
    return node === null ? { kind: "missing", hash } : { node };
  } catch (error) {
    if (!(error instanceof CasError) || error.fault.code !== "NODE_DAMAGED") throw error;
    return { kind: "damaged", hash, reason: error.fault.reason };
  }
}

/** A schema that is there but damaged has a finding of its own. */
function hasSchema(store: Reader, type: Hash): boolean {
  const found = read(store, type);
  return !("kind" in found) && getSchema(store, type) !== null;
}
