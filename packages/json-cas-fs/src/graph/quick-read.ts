import { FOREIGN_ROOTS, HASH_LENGTH, type Hash, refsInBytes, type Store } from "@uncaged/json-cas";
import { hashOfPlain, plainNode } from "../plain.js";
import { type NodeOutcome, readForNext } from "./next.js";

// Of most nodes the bytes say all there is to know: their hash fits, so they are what was put; and a reference is a text of
// 13 characters, of which they have none.

export type QuickReader = (hash: Hash, bytes: Buffer | null) => NodeOutcome;

/** `readForNext` of bytes that were read already; for what is not plain it asks the store. */
export function createQuickReader(store: Store): QuickReader {
  // Types of which a node was read the long way, so that their schemas are known to be there.
  const known = new Set<Hash>();
  return (hash, bytes) => {
    const plain = bytes === null ? null : plainNode(bytes);
    if (bytes === null || plain === null || !known.has(plain.type)) {
      const outcome = readForNext(store, hash);
      if (outcome !== "missing" && !("damage" in outcome) && !FOREIGN_ROOTS.has(outcome.type))
        known.add(outcome.type);
      return outcome;
    }
    const { type } = plain;
    if (hashOfPlain(bytes, plain) !== hash) return readForNext(store, hash);
    if (!mayRefer(bytes, plain.start, plain.end)) return { type, next: type === hash ? [] : [type] };
    const found = refsInBytes(store, type, bytes.subarray(plain.start, plain.end));
    if (found === null) return readForNext(store, hash);
    return { type, next: [...found.filter((reference) => reference !== type && reference !== hash), type] };
  };
}

const TEXT_OF_13 = 0x6d;

/** Whether there may be a reference: a text of 13 characters of a hash. */
function mayRefer(bytes: Buffer, start: number, end: number): boolean {
  for (let at = bytes.indexOf(TEXT_OF_13, start); at !== -1 && at + HASH_LENGTH < end; ) {
    let length = 0;
    while (length < HASH_LENGTH && IN_HASH[bytes[at + 1 + length] ?? 0] === 1) length += 1;
    if (length === HASH_LENGTH) return true;
    at = bytes.indexOf(TEXT_OF_13, at + 1);
  }
  return false;
}

/** Character code → 1 for the characters of a hash. */
const IN_HASH = new Uint8Array(256);
for (const character of "0123456789ABCDEFGHJKMNPQRSTVWXYZ") IN_HASH[character.charCodeAt(0)] = 1;
