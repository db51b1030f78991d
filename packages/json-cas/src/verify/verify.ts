import { payloadBytesOf } from "../codec/index.js";
import { hashBytes, hashNode } from "../hash/index.js";
import { computeHash, selfHash } from "../meta-schema/index.js";
import type { CasNode, Hash } from "../node/index.js";

/** Is this the node that the hash names? A node that is its own type is hashed without one. */
export function verify(hash: Hash, node: CasNode): boolean {
  return node.type === hash ? selfHash(node.payload) === hash : computeHash(node.type, node.payload) === hash;
}

/** `verify` for a node that was just decoded from these bytes: its payload need not be encoded a second time. */
export function verifyEncoded(hash: Hash, node: CasNode, bytes: Uint8Array): boolean {
  const payload = payloadBytesOf(bytes, node);
  return (node.type === hash ? hashBytes(payload) : hashNode(hashBytes, node.type, payload)) === hash;
}
