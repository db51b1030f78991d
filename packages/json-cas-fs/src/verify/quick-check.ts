import { FOREIGN_ROOTS, type Hash, refsIfSound, type Store } from "@uncaged/json-cas";
import { hashOfPlain, plainNode } from "../plain.js";
import { nodeIn } from "../store/index.js";
import { type CheckedNode, checkRead, type IsIndexed } from "./check-node.js";

type QuickCheck = (hash: Hash, content: Buffer | { readonly reason: string }) => CheckedNode;

/** What `checkRead` says of a node in a pack. Of most nodes it is certain without decoding them that nothing is wrong. */
export function createQuickCheck(store: Store, isIndexed: IsIndexed): QuickCheck {
  // Types of which a node was checked the long way, so that their schemas are known to be there and sound.
  const known = new Set<Hash>();
  return (hash, content) => {
    if ("reason" in content) return checkRead(store, hash, { damage: content.reason }, isIndexed);
    const plain = plainNode(content);
    if (
      plain !== null &&
      plain.type !== hash &&
      known.has(plain.type) &&
      hashOfPlain(content, plain) === hash
    ) {
      const found = refsIfSound(store, plain.type, content.subarray(plain.start, plain.end));
      if (found?.every(store.has) && isIndexed(plain.type, hash))
        return { problems: [], references: found.length, isIndexed: true };
    }
    const node = nodeIn(hash, content);
    const checked = checkRead(store, hash, node, isIndexed);
    const isTyped = !("damage" in node) && checked.problems.every(({ kind }) => kind !== "unknown-type");
    if (isTyped && !FOREIGN_ROOTS.has(node.type)) known.add(node.type);
    return checked;
  };
}
