import type { CasNode, Hash } from "./node.js";
import type { Reader } from "./node-type.js";
import { refs } from "./refs.js";

/** A node on the way; `node` is `null` where the store does not have it. `referrer` is who was first to refer to it. */
export type WalkVisit = {
  readonly hash: Hash;
  readonly node: CasNode | null;
  readonly referrer: Hash | null;
};

export type WalkOptions = {
  /** Also visit the schema of each node, after its references. */
  readonly followTypes: boolean;
};

type Entry = { readonly hash: Hash; readonly referrer: Hash | null };

/**
 * Visits everything that can be reached from a node, breadth first, each node once. References come in the order of
 * `refs`. Throws `NODE_DAMAGED` for a node that cannot be read and `UNKNOWN_TYPE` for one whose schema is missing.
 */
export function walk(
  store: Reader,
  hash: Hash,
  visit: (visited: WalkVisit) => void,
  options: WalkOptions = { followTypes: false },
): void {
  const seen = new Set<Hash>([hash]);
  // A list that is walked while it grows: neither recursion nor a shift of what is left.
  const queue: Entry[] = [{ hash, referrer: null }];
  for (const entry of queue) {
    const node = store.get(entry.hash);
    visit({ ...entry, node });
    if (node === null) continue;
    for (const next of outgoing(store, node, options)) {
      if (seen.has(next)) continue;
      seen.add(next);
      queue.push({ hash: next, referrer: entry.hash });
    }
  }
}

function outgoing(store: Reader, node: CasNode, options: WalkOptions): readonly Hash[] {
  const found = refs(store, node);
  return options.followTypes ? [...found, node.type] : found;
}
