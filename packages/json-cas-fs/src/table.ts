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
  /** The same of the hash whose 8 bytes begin there. */
  readonly addAt: (bytes: Buffer, at: number) => number;
  readonly values: () => Iterable<Hash>;
};

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Character code → digit. */
const DIGITS = new Uint8Array(128);
for (let digit = 0; digit < ALPHABET.length; digit += 1) DIGITS[ALPHABET.charCodeAt(digit)] = digit;

const eight = Buffer.alloc(8);

/** The number of so many digits from `start` on, its lowest 32 bits, signed: V8 would box a larger number. */
function bitsOf(hash: Hash, start: number, end: number): number {
  let bits = 0;
  for (let index = start; index < end; index += 1) bits = (bits << 5) | (DIGITS[hash.charCodeAt(index)] ?? 0);
  return bits;
}

/** A hash is a number of 64 bits, kept here as two of 32, with the slot that leads to it: 16 to 24 bytes each, where a `Map` of texts has ten times that. */
export function createHashTable(hashes: Iterable<Hash> = []): HashTable {
  // High and low words by turns: a place has two.
  let words = new Int32Array(2048);
  // Place + 1, at the slot that the hash leads to or the next free one; at most half of them are taken.
  let slots = new Uint32Array(2048);
  let size = 0;
  // Of the hash that `slotOf` was asked for last: a pair for each would cost more than to find it.
  let [high, low] = [0, 0];
  const freeOrOwn = (): number => {
    const mask = slots.length - 1;
    for (let slot = low & mask; ; slot = (slot + 1) & mask) {
      const place = (slots[slot] ?? 0) - 1;
      if (place === -1 || (words[place * 2 + 1] === low && words[place * 2] === high)) return slot;
    }
  };
  const slotOf = (hash: Hash): number => {
    // Digits 0 to 5 have 29 bits, the next one three of the upper word and two of the lower.
    const middle = DIGITS[hash.charCodeAt(6)] ?? 0;
    high = (bitsOf(hash, 0, 6) << 3) | (middle >>> 2);
    low = bitsOf(hash, 6, 13);
    return freeOrOwn();
  };
  const grow = (): void => {
    const larger = new Int32Array(words.length * 2);
    larger.set(words);
    words = larger;
    slots = new Uint32Array(words.length);
    for (let place = 0; place < size; place += 1) {
      [high, low] = [words[place * 2] ?? 0, words[place * 2 + 1] ?? 0];
      slots[freeOrOwn()] = place + 1;
    }
  };
  const placeOf = (hash: Hash): number => (slots[slotOf(hash)] ?? 0) - 1;
  const hashAt = (place: number): Hash => {
    eight.writeInt32BE(words[place * 2 + 1] ?? 0, eight.writeInt32BE(words[place * 2] ?? 0));
    return readHash(eight, 0);
  };
  /** The place of the one that has `high` and `low`, and leads to that slot. */
  const enter = (slot: number): number => {
    const place = (slots[slot] ?? 0) - 1;
    if (place !== -1) return place;
    words[size * 2] = high;
    words[size * 2 + 1] = low;
    size += 1;
    slots[slot] = size;
    if (size * 2 === slots.length) grow();
    return size - 1;
  };
  const add = (hash: Hash): number => enter(slotOf(hash));
  const addAt = (bytes: Buffer, at: number): number => {
    [high, low] = [bytes.readInt32BE(at), bytes.readInt32BE(at + 4)];
    return enter(freeOrOwn());
  };
  for (const hash of hashes) add(hash);
  return {
    size: () => size,
    placeOf,
    has: (hash) => placeOf(hash) !== -1,
    hashAt,
    add,
    addAt,
    *values() {
      for (let place = 0; place < size; place += 1) yield hashAt(place);
    },
  };
}

/** The next of a place: places that are to come before it. */
export type NextPlaces = (place: number) => Iterable<number>;

const NEW = 0;
const ENTERED = 1;
const DONE = 2;

/**
 * Visits what each seed reaches, and the seed itself, each place once and after everything it leads to: what a chain's
 * newest node reaches comes oldest first. Without recursion: a chain may have a million nodes. 1 byte per place.
 */
export function createOrder(next: NextPlaces, visit: (place: number) => void): (seed: number) => void {
  let states = new Uint8Array(1024);
  const stack: number[] = [];
  const set = (place: number, state: number): void => {
    if (place >= states.length) {
      const larger = new Uint8Array(Math.max(place + 1, states.length * 2));
      larger.set(states);
      states = larger;
    }
    states[place] = state;
  };
  const enter = (place: number): void => {
    set(place, ENTERED);
    stack.push(place);
    const before = [...next(place)];
    // The first one is to be on top.
    for (let index = before.length - 1; index >= 0; index -= 1) {
      const other = before[index] ?? place;
      if ((states[other] ?? NEW) === NEW) stack.push(other);
    }
  };
  return (seed) => {
    if ((states[seed] ?? NEW) === NEW) stack.push(seed);
    for (let place = stack.pop(); place !== undefined; place = stack.pop()) {
      const state = states[place] ?? NEW;
      if (state === NEW) enter(place);
      else if (state === ENTERED) {
        set(place, DONE);
        visit(place);
      }
    }
  };
}
