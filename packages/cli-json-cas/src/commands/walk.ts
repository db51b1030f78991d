import { argument, flag } from "@uncaged/command-line";
import {
  type CasNode,
  type Hash,
  type JsonObject,
  refs as refsOfNode,
  resolveHash,
  type Store,
  walk as walkNodes,
} from "@uncaged/json-cas";
import { type Answer, defineCommand, HASH } from "../define.js";

export const command = defineCommand(() => ({
  path: "walk",
  summary: "print everything a node reaches, nearest first: {hashes, missing}",
  arguments: { hash: argument(HASH) },
  options: {
    tree: flag("also print the tree: one line {depth, hash, type, repeated} per place"),
    types: flag("follow types as well as references"),
  },
  examples: ["walk 64KB4T4A9CKTS", "walk 64KB4T4A9CKTS --tree", "walk 64KB4T4A9CKTS --types"],
  notes: "Exit code 7 when a node is missing.",
  sample: {
    line: "walk 3CZBG03ZSS8T3",
    prints: `{
  "hashes": [
    "3CZBG03ZSS8T3",
    "1MV05XPK04K7N",
…`,
  },
  run: ({ store, warn }, request) => {
    const root = resolveHash(store, request.hash);
    const hashes: Hash[] = [];
    const missing: JsonObject[] = [];
    walkNodes(
      store,
      root,
      ({ hash, node, referrer }) => {
        if (node !== null) hashes.push(hash);
        else missing.push({ hash, referrer });
      },
      { followTypes: request.types },
    );
    for (const { hash, referrer } of missing)
      warn(`node ${hash} does not exist (referred to by ${referrer})`);
    const tree = request.tree ? { tree: readTree(store, root, request.types) } : {};
    return answer({ hashes, missing, ...tree }, missing.length > 0);
  },
}));

type TreeEntry = { readonly hash: Hash; readonly depth: number };

/**
 * The nodes below `root` as lines of a tree, each followed by what it refers to, one level deeper. A node that has
 * already appeared has `repeated: true` and is not expanded again; `type` is null if a node is missing. Lines and
 * not nested objects: a history of 10,000 steps is a tree 10,000 levels deep.
 */
function readTree(store: Store, root: Hash, followTypes: boolean): readonly JsonObject[] {
  const lines: JsonObject[] = [];
  const seen = new Set<Hash>();
  const stack: TreeEntry[] = [{ hash: root, depth: 0 }];
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

function below(store: Store, node: CasNode, depth: number, followTypes: boolean): TreeEntry[] {
  const hashes = followTypes ? [...refsOfNode(store, node), node.type] : refsOfNode(store, node);
  return hashes.map((hash) => ({ hash, depth }));
}

/** A dangling reference is damage: what was found is printed all the same. */
function answer(document: JsonObject, isDamaged: boolean): Answer {
  return { document, exitCode: isDamaged ? 7 : 0 };
}
