import { isItsBuiltIn } from "./built-in.js";
import { encode, payloadBytesOf } from "./codec/index.js";
import { hashBytes, hashNode } from "./hash.js";
import type { CasNode, Hash } from "./node.js";

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
