import { computeHash, selfHash } from "../meta-schema/index.js";
import type { CasNode, Hash } from "../node/index.js";

/** Is this the node that the hash names? A node that is its own type is hashed without one. */
export function verify(hash: Hash, node: CasNode): boolean {
  return node.type === hash ? selfHash(node.payload) === hash : computeHash(node.type, node.payload) === hash;
}
