import { type Hash, readHash } from "@uncaged/json-cas";

/** Hashes, each with a place from 0 in the order of `add`: facts about a node are kept in arrays at its place. */
export type HashTable = {
  readonly size: () => number;
  /** -1 when the hash is not in the table. */
  readonly placeOf: (hash: Hash) => number;
  readonly has: (hash: Hash) => boolean;
  readonly hashAt: (place: number) => Hash;
  /** Its place, the old one if it is there already. */
  readonly add: (hash: Hash) => number;
  readonly values: () => Iterable<Hash>;
};

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Character code → digit. */
const DIGITS = new Uint8Array(128);
for (let digit = 0; digit < ALPHABET.length; digit += 1) DIGITS[ALPHABET.charCodeAt(digit)] = digit;

/** The number of so many digits from `start` on, its lowest 32 bits. */
function bitsOf(hash: Hash, start: number, end: number): number {
  let bits = 0;
  for (let index = start; index < end; index += 1) bits = (bits << 5) | (DIGITS[hash.charCodeAt(index)] ?? 0);
  return bits >>> 0;
}

/** A hash is a number of 64 bits, kept here as two of 32, with the slot that leads to it: 16 to 24 bytes each, where a `Map` of texts has ten times that. */
export function createHashTable(hashes: Iterable<Hash> = []): HashTable {
  // High and low words by turns: a place has two.
  let words = new Uint32Array(2048);
  // Place + 1, at the slot that the hash leads to or the next free one; at most half of them are taken.
  let slots = new Uint32Array(2048);
  let size = 0;
  const slotOf = (high: number, low: number): number => {
    const mask = slots.length - 1;
    for (let slot = low & mask; ; slot = (slot + 1) & mask) {
      const place = (slots[slot] ?? 0) - 1;
      if (place === -1 || (words[place * 2 + 1] === low && words[place * 2] === high)) return slot;
    }
  };
  const grow = (): void => {
    const larger = new Uint32Array(words.length * 2);
    larger.set(words);
    words = larger;
    slots = new Uint32Array(words.length);
    for (let place = 0; place < size; place += 1)
      slots[slotOf(words[place * 2] ?? 0, words[place * 2 + 1] ?? 0)] = place + 1;
  };
  // Digits 0 to 5 have 29 bits, the next one three of the upper word and two of the lower.
  const find = (hash: Hash): readonly [high: number, low: number, slot: number] => {
    const middle = DIGITS[hash.charCodeAt(6)] ?? 0;
    const high = ((bitsOf(hash, 0, 6) << 3) | (middle >>> 2)) >>> 0;
    const low = bitsOf(hash, 6, 13);
    return [high, low, slotOf(high, low)];
  };
  const placeOf = (hash: Hash): number => (slots[find(hash)[2]] ?? 0) - 1;
  const hashAt = (place: number): Hash => {
    const bytes = Buffer.alloc(8);
    bytes.writeUInt32BE(words[place * 2 + 1] ?? 0, bytes.writeUInt32BE(words[place * 2] ?? 0));
    return readHash(bytes, 0);
  };
  const add = (hash: Hash): number => {
    const [high, low, slot] = find(hash);
    const place = (slots[slot] ?? 0) - 1;
    if (place !== -1) return place;
    words.set([high, low], size * 2);
    size += 1;
    slots[slot] = size;
    if (size * 2 === slots.length) grow();
    return size - 1;
  };
  for (const hash of hashes) add(hash);
  return {
    size: () => size,
    placeOf,
    has: (hash) => placeOf(hash) !== -1,
    hashAt,
    add,
    *values() {
      for (let place = 0; place < size; place += 1) yield hashAt(place);
    },
  };
}
