import { decode } from "./codec/index.js";
import { type Hasher, hashBytes } from "./hash.js";
import type { CasNode, Hash, Store } from "./node.js";
import { type Backend, putNodeWith } from "./put.js";

/** A store that lives as long as the process. `now` gives epoch ms. */
export function createMemoryStore(options: { readonly now: () => number } = { now: Date.now }): Store {
  return createMemoryStoreWith(hashBytes, options.now);
}

export function createMemoryStoreWith(hasher: Hasher, now: () => number): Store {
  const nodes = new Map<Hash, CasNode>();
  const get = (hash: Hash): CasNode | null => nodes.get(hash) ?? null;
  const write = (hash: Hash, node: CasNode): boolean => {
    nodes.set(hash, node);
    return true;
  };
  const lacks = (hash: Hash): boolean => !nodes.has(hash);
  // The payload is read back, so that its keys have the order in which a store on disk gives them.
  const create: Backend["create"] = (hash, node, bytes) =>
    write(hash, Object.freeze({ ...node, payload: decode(bytes) }));
  const backend: Backend = { get, lacks, create, replace: write, confirm: () => {}, now };
  return {
    put: async (type, payload) => putNodeWith(hasher, backend, type, payload),
    get,
    has: (hash) => nodes.has(hash),
    list: () => [...nodes.keys()].sort(),
    listByType: (type) => [...nodes].flatMap(([hash, node]) => (node.type === type ? [hash] : [])).sort(),
  };
}
