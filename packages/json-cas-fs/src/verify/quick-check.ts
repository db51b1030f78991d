import { FOREIGN_ROOTS, HASH_LENGTH, type Hash, type Store } from "@uncaged/json-cas";
import { hashOfHalves, highAt, lowAt } from "../halves.js";
import { soundNode } from "../plain.js";
import { nodeIn } from "../store/index.js";
import { type CheckedNode, checkRead, type IsIndexed } from "./check-node.js";

/** Asked by the halves of the node's hash. */
type QuickCheck = (high: number, low: number, content: Buffer | { readonly reason: string }) => CheckedNode;

/** The same questions as of a hash, by its halves. */
export type Known = {
  readonly has: (high: number, low: number) => boolean;
  readonly isIndexed: (type: Hash, high: number, low: number) => boolean;
};

/**
 * Checks a node in a pack as `checkRead` does, but skips decoding when a check of its bytes suffices, as it
 * mostly does.
 */
export function createQuickCheck(store: Store, isIndexed: IsIndexed, known: Known): QuickCheck {
  // Types of which a node was checked the long way, so that their schemas are known to be there and sound.
  const types = new Set<Hash>();
  const isKnown = (type: Hash): boolean => types.has(type);
  return (high, low, content) => {
    if ("reason" in content)
      return checkRead(store, hashOfHalves(high, low), { damage: content.reason }, isIndexed);
    const sound = soundNode(store, [high, low], content, isKnown);
    const isWhole = sound?.places.every((at) => known.has(highAt(content, at), lowAt(content, at))) ?? false;
    if (sound !== null && isWhole && known.isIndexed(sound.type, high, low))
      return { problems: [], references: distinct(content, sound.places), isIndexed: true };
    const hash = hashOfHalves(high, low);
    const node = nodeIn(hash, content);
    const checked = checkRead(store, hash, node, isIndexed);
    const isTyped = !("damage" in node) && checked.problems.every(({ kind }) => kind !== "unknown-type");
    if (isTyped && !FOREIGN_ROOTS.has(node.type)) types.add(node.type);
    return checked;
  };
}

/** With so many references each is compared with all before it, without being made into text. */
const FEW = 16;

/** How many different hashes begin at these bytes. */
function distinct(bytes: Buffer, places: readonly number[]): number {
  if (places.length > FEW)
    return new Set(places.map((at) => bytes.toString("latin1", at, at + HASH_LENGTH))).size;
  let count = 0;
  for (const [index, at] of places.entries()) {
    let before = 0;
    while (before < index && !isSame(bytes, places[before] ?? at, at)) before += 1;
    if (before === index) count += 1;
  }
  return count;
}

function isSame(bytes: Buffer, left: number, right: number): boolean {
  for (let index = 0; index < HASH_LENGTH; index += 1)
    if (bytes[left + index] !== bytes[right + index]) return false;
  return true;
}
