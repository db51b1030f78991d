import { CasError } from "./fault.js";
import { HASH_LENGTH, parseHash } from "./hash.js";
import type { Hash, Store } from "./node.js";

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
