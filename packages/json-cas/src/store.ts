import { decode } from "./decode.js";
import { CasError } from "./fault.js";
import { HASH_LENGTH, type Hasher, hashBytes, parseHash } from "./hash.js";
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

const SHORTEST_PREFIX = 4;

/**
 * The hash of an existing node from what a person typed: the whole hash, or a prefix of at least 4 characters that
 * fits one node. Throws `MALFORMED_HASH`, `NODE_MISSING` or `AMBIGUOUS_PREFIX`.
 */
export function resolveHash(store: Pick<Store, "has" | "list">, text: string): Hash {
  const hash = parseHash(text);
  if (hash !== null) {
    if (!store.has(hash)) throw missing(hash);
    return hash;
  }
  return resolvePrefix(store, text);
}

function resolvePrefix(store: Pick<Store, "list">, text: string): Hash {
  const prefix = text.toUpperCase();
  if (!isPrefix(prefix)) throw new CasError({ code: "MALFORMED_HASH", value: text });
  const candidates = store.list().filter((hash) => hash.startsWith(prefix));
  const [first] = candidates;
  if (first === undefined) throw missing(prefix);
  if (candidates.length > 1) throw new CasError({ code: "AMBIGUOUS_PREFIX", prefix, candidates });
  return first;
}

/** A prefix of a hash is one that zeros can fill up to a hash. */
function isPrefix(prefix: string): boolean {
  return (
    prefix.length >= SHORTEST_PREFIX &&
    prefix.length < HASH_LENGTH &&
    parseHash(prefix.padEnd(HASH_LENGTH, "0")) !== null
  );
}

function missing(hash: string): CasError {
  return new CasError({ code: "NODE_MISSING", hash, referrer: null });
}
