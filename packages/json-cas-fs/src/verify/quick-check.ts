import { FOREIGN_ROOTS, type Hash, type Store } from "@uncaged/json-cas";
import { soundNode } from "../plain.js";
import { nodeIn } from "../store/index.js";
import { type CheckedNode, checkRead, type IsIndexed } from "./check-node.js";

type QuickCheck = (hash: Hash, content: Buffer | { readonly reason: string }) => CheckedNode;

/** What `checkRead` says of a node in a pack. Of most nodes it is certain without decoding them that nothing is wrong. */
export function createQuickCheck(store: Store, isIndexed: IsIndexed): QuickCheck {
  // Types of which a node was checked the long way, so that their schemas are known to be there and sound.
  const known = new Set<Hash>();
  const isKnown = (type: Hash): boolean => known.has(type);
  return (hash, content) => {
    if ("reason" in content) return checkRead(store, hash, { damage: content.reason }, isIndexed);
    const sound = soundNode(store, hash, content, isKnown);
    if (sound?.references.every(store.has) && isIndexed(sound.type, hash))
      return { problems: [], references: sound.references.length, isIndexed: true };
    const node = nodeIn(hash, content);
    const checked = checkRead(store, hash, node, isIndexed);
    const isTyped = !("damage" in node) && checked.problems.every(({ kind }) => kind !== "unknown-type");
    if (isTyped && !FOREIGN_ROOTS.has(node.type)) known.add(node.type);
    return checked;
  };
}
