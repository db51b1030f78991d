import { CasError, type CasNode, FOREIGN_ROOTS, type Store } from "@uncaged/json-cas";

/**
 * Whether a node is a schema whose own type the original program hashed in a way that is not ours, so that it can be
 * read by nobody: such a schema refers to nothing and is taken as it is.
 */
export function isForeignSchema(store: Pick<Store, "get">, { type }: CasNode): boolean {
  if (!FOREIGN_ROOTS.has(type)) return false;
  try {
    return store.get(type) === null;
  } catch (error) {
    if (error instanceof CasError && error.fault.code === "NODE_DAMAGED") return true;
    throw error;
  }
}
