import { type Hash, type JsonObject, resolveHash, walk as walkNodes } from "@uncaged/json-cas";
import { treeOf } from "./tree.js";
import type { Answer, CasCommand } from "./types.js";

type WalkRequest = { readonly hash: string; readonly tree: boolean; readonly types: boolean };

export const walk: CasCommand<WalkRequest> = ({ store, warn }, request) => {
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
  for (const { hash, referrer } of missing) warn(`node ${hash} does not exist (referred to by ${referrer})`);
  const tree = request.tree ? { tree: treeOf(store, root, request.types) } : {};
  return answer({ hashes, missing, ...tree }, missing.length > 0);
};

/** A reference that leads nowhere is damage: what was found is printed all the same. */
function answer(document: JsonObject, isDamaged: boolean): Answer {
  return { document, exitCode: isDamaged ? 7 : 0 };
}
