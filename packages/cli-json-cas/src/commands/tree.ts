import { type CasNode, type Hash, type JsonObject, refs, type Store } from "@uncaged/json-cas";

type Place = { readonly hash: Hash; readonly depth: number };

/**
 * The nodes below `root` as lines of a tree, each followed by what it refers to, one level deeper. A node that stands
 * further up already has `repeated: true` and is not unfolded again; `type` is null where a node is missing.
 * Lines and not nested objects: a history of 10,000 steps is a tree 10,000 levels deep.
 */
export function treeOf(store: Store, root: Hash, followTypes: boolean): readonly JsonObject[] {
  const lines: JsonObject[] = [];
  const seen = new Set<Hash>();
  const stack: Place[] = [{ hash: root, depth: 0 }];
  for (let place = stack.pop(); place !== undefined; place = stack.pop()) {
    const { hash, depth } = place;
    const node = store.get(hash);
    const repeated = seen.has(hash);
    seen.add(hash);
    lines.push({ depth, hash, type: node?.type ?? null, repeated });
    if (node !== null && !repeated) stack.push(...below(store, node, depth + 1, followTypes).reverse());
  }
  return lines;
}

function below(store: Store, node: CasNode, depth: number, followTypes: boolean): Place[] {
  const hashes = followTypes ? [...refs(store, node), node.type] : refs(store, node);
  return hashes.map((hash) => ({ hash, depth }));
}
