import {
  canRefer,
  FOREIGN_ROOTS,
  HASH_LENGTH,
  type Hash,
  isHashAt,
  refPlacesIfSound,
  refsInBytes,
  type Store,
} from "@uncaged/json-cas";
import { hashOfHalves } from "../halves.js";
import { isPlainHash, type PlainNode, plainNode } from "../plain.js";
import { type NodeOutcome, readForNext } from "./next.js";

// Of most nodes the bytes say all there is to know: their hash fits, so they are what was put; and a reference is a text of
// 13 characters, of which they have none, or stands where a plain schema says.

/** A node whose references begin at some of its bytes; it leads to its type as well. */
type InPlace = { readonly type: Hash; readonly places: readonly number[] };

/** Asked by the halves of the node's hash. */
export type QuickReader = (high: number, low: number, bytes: Buffer | null) => NodeOutcome | InPlace;

const NONE: readonly number[] = [];

/**
 * `readForNext` of bytes that were read already; for what is not plain it asks the store. Without `hashed` bytes that have the
 * form of their type are taken for the node.
 */
export function createQuickReader(store: Store, { hashed }: { readonly hashed: boolean }): QuickReader {
  // Types of which a node was read the long way, so that their schemas are known to be there; and whether they refer to any.
  const known = new Map<Hash, boolean>();
  const readLong = (hash: Hash): NodeOutcome => {
    const outcome = readForNext(store, hash);
    if (outcome !== "missing" && !("damage" in outcome) && !FOREIGN_ROOTS.has(outcome.type))
      known.set(outcome.type, canRefer(store, outcome.type));
    return outcome;
  };
  const follow = (hash: Hash, bytes: Buffer, { type, start, end }: PlainNode): NodeOutcome => {
    if (!mayRefer(bytes, start, end)) return { type, next: type === hash ? [] : [type] };
    const found = refsInBytes(store, type, bytes.subarray(start, end));
    if (found === null) return readForNext(store, hash);
    return { type, next: [...found.filter((reference) => reference !== type && reference !== hash), type] };
  };
  return (high, low, bytes) => {
    const plain = bytes === null ? null : plainNode(bytes);
    const refers = plain === null ? undefined : known.get(plain.type);
    if (bytes === null || plain === null || refers === undefined) return readLong(hashOfHalves(high, low));
    const { type } = plain;
    const isOther = (): boolean => !isPlainHash(bytes, plain, high, low);
    if (hashed && isOther()) return readForNext(store, hashOfHalves(high, low));
    const places = refers ? refPlacesIfSound(store, type, bytes, plain.start, plain.end) : NONE;
    if (places !== null) return { type, places };
    // Bytes that do not have the form of their type are followed only if they are what was put.
    if (!hashed && isOther()) return readForNext(store, hashOfHalves(high, low));
    return follow(hashOfHalves(high, low), bytes, plain);
  };
}

const TEXT_OF_13 = 0x6d;

/** Whether there may be a reference: a text of 13 characters that is a hash. */
function mayRefer(bytes: Buffer, start: number, end: number): boolean {
  for (let at = bytes.indexOf(TEXT_OF_13, start); at !== -1 && at + HASH_LENGTH < end; ) {
    if (isHashAt(bytes, at + 1)) return true;
    at = bytes.indexOf(TEXT_OF_13, at + 1);
  }
  return false;
}
