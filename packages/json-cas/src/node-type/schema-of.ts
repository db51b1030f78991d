import { FOREIGN_ROOTS, META_SCHEMA_HASH, selfHash } from "../meta-schema/index.js";
import type { CasNode, Hash, JsonValue, Store } from "../node/index.js";

/** What finds nodes: a store, or the part of a backend that reads. */
export type Reader = Pick<Store, "get">;

/**
 * The JSON Schema that a node holds; `null` when there is no such node or it holds none. A node holds a schema when its
 * type is our meta-schema, or another self-typed node (stores of other origin have their own root).
 */
export function getSchema(store: Reader, hash: Hash): JsonValue | null {
  const node = store.get(hash);
  return node === null ? null : schemaIn(store, hash, node);
}

/** The same of a node that was read already. */
export function schemaIn(store: Reader, hash: Hash, node: CasNode): JsonValue | null {
  if (node.type === META_SCHEMA_HASH || node.type === hash) return node.payload;
  return isRoot(store, node.type) ? node.payload : null;
}

/** Is the node its own type? Its hash is then that of its payload alone. */
function isRoot(store: Reader, hash: Hash): boolean {
  if (hash === META_SCHEMA_HASH || FOREIGN_ROOTS.has(hash)) return true;
  const node = store.get(hash);
  return node !== null && isSelfTyped(hash, node);
}

/** `isRoot` of a node that was read already. */
export function isSelfTyped(hash: Hash, node: CasNode): boolean {
  return node.type === hash && selfHash(node.payload) === hash;
}
