import { HASH_LENGTH, type Hash, isHashAt } from "@uncaged/json-cas";
import { hashOfHalves, highAt, highOf, lowAt, lowOf } from "./halves.js";

// A store may have more nodes than fit into memory as strings. A hash is a 64-bit number, kept here as two halves of 32
// bits: with the slots that lead to it 16 to 24 bytes each, and no arithmetic on a bigint.

/** Hashes, each with an index from 0 in the order of `add`: facts about a node are kept in arrays at its index. */
export type HashTable = {
  readonly size: () => number;
  /** -1 when the hash is not in the table. */
  readonly placeOf: (hash: Hash) => number;
  readonly placeOfHalves: (high: number, low: number) => number;
  readonly hashAt: (place: number) => Hash;
  readonly highAt: (place: number) => number;
  readonly lowAt: (place: number) => number;
};

/** A table that grows. */
export type GrowingTable = HashTable & {
  /** Its place, the old one if it is there already. */
  readonly add: (hash: Hash) => number;
  readonly addHalves: (high: number, low: number) => number;
};

const FIRST_SIZE = 1024;

/** `expected` hashes are added without growing. */
export function createHashTable(expected = 0): GrowingTable {
  const first = Math.max(FIRST_SIZE, 2 ** Math.ceil(Math.log2(expected + 2)));
  let [highs, lows] = [new Uint32Array(first), new Uint32Array(first)];
  // Place + 1, at the slot that the hash leads to or the next free one; at most half of them are taken.
  let slots = new Uint32Array(first * 2);
  let size = 0;
  const slotOf = (high: number, low: number): number => {
    const mask = slots.length - 1;
    for (let slot = low & mask; ; slot = (slot + 1) & mask) {
      const place = (slots[slot] ?? 0) - 1;
      if (place === -1 || (lows[place] === low && highs[place] === high)) return slot;
    }
  };
  const grow = (): void => {
    highs = doubled(highs);
    lows = doubled(lows);
    slots = new Uint32Array(highs.length * 2);
    for (let place = 0; place < size; place += 1) {
      slots[slotOf(highs[place] ?? 0, lows[place] ?? 0)] = place + 1;
    }
  };
  const addHalves = (high: number, low: number): number => {
    const slot = slotOf(high, low);
    const place = slots[slot] ?? 0;
    if (place !== 0) return place - 1;
    highs[size] = high;
    lows[size] = low;
    size += 1;
    slots[slot] = size;
    if (size === highs.length) grow();
    return size - 1;
  };
  const placeOfHalves = (high: number, low: number): number => (slots[slotOf(high, low)] ?? 0) - 1;
  return {
    size: () => size,
    add: (hash) => addHalves(highOf(hash), lowOf(hash)),
    addHalves,
    placeOf: (hash) => placeOfHalves(highOf(hash), lowOf(hash)),
    placeOfHalves,
    highAt: (place) => highs[place] ?? 0,
    lowAt: (place) => lows[place] ?? 0,
    hashAt: (place) => hashOfHalves(highs[place] ?? 0, lows[place] ?? 0),
  };
}

function doubled(array: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(array.length * 2);
  larger.set(array);
  return larger;
}

const NEWLINE = 10;

/** The hashes in the lines of an index. */
export type HashSet = {
  readonly has: (hash: Hash) => boolean;
  readonly hasHalves: (high: number, low: number) => boolean;
  /** Lines that are not empty, whatever their content. */
  readonly lines: number;
};

/** Reads an index; lines that are no hashes are counted and dropped. */
export function hashSetOf(bytes: Uint8Array): HashSet {
  const table = createHashTable(Math.floor(bytes.length / (HASH_LENGTH + 1)));
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let [lines, start] = [0, 0];
  while (start < text.length) {
    const newline = text.indexOf(NEWLINE, start);
    const end = newline === -1 ? text.length : newline;
    if (end > start) lines += 1;
    if (end - start === HASH_LENGTH && isHashAt(text, start))
      table.addHalves(highAt(text, start), lowAt(text, start));
    start = end + 1;
  }
  return {
    lines,
    has: (hash) => table.placeOf(hash) !== -1,
    hasHalves: (high, low) => table.placeOfHalves(high, low) !== -1,
  };
}
