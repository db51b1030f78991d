import { CasError, type CasNode, type Hash, resolveHash, type Store } from "@uncaged/json-cas";

/** The node that a person named; throws when there is none. */
export function namedNode(store: Store, text: string): { readonly hash: Hash; readonly node: CasNode } {
  const hash = resolveHash(store, text);
  const node = store.get(hash);
  // It may be gone since the name was resolved.
  if (node === null) throw new CasError({ code: "NODE_MISSING", hash, referrer: null });
  return { hash, node };
}
