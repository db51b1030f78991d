import { HASH_LENGTH, type Hash } from "@uncaged/json-cas";

// A store may have more nodes than fit into memory as strings. A hash is a 64-bit number, so an array of numbers needs
// 8 bytes for each: 80 MB for ten million.

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** 6 characters are 29 bits (the first one is 0..F), the other 7 are 35: both exact as plain numbers. */
const SPLIT = 6;
const LOW_BITS = 35n;
const LOW_MASK = (1n << LOW_BITS) - 1n;

const VALUES: ReadonlyMap<number, number> = new Map(
  [...ALPHABET].map((c, value) => [c.charCodeAt(0), value]),
);

/** The number encoded by 13 bytes of text; `null` if they are not a hash. */
function numberInBytes(bytes: Uint8Array, start: number): bigint | null {
  return numberAt((index) => bytes[start + index] ?? 0);
}

export function numberOf(hash: Hash): bigint {
  return numberAt((index) => hash.charCodeAt(index)) ?? 0n;
}

export function hashOfNumber(value: bigint): Hash {
  return (text(Number(value >> LOW_BITS), SPLIT) +
    text(Number(value & LOW_MASK), HASH_LENGTH - SPLIT)) as Hash;
}

type CodeAt = (index: number) => number;

function numberAt(codeAt: CodeAt): bigint | null {
  const high = digits(codeAt, 0, SPLIT);
  const low = digits(codeAt, SPLIT, HASH_LENGTH);
  return high === null || low === null ? null : BigInt.asUintN(64, (BigInt(high) << LOW_BITS) | BigInt(low));
}

function digits(codeAt: CodeAt, start: number, end: number): number | null {
  let number = 0;
  for (let index = start; index < end; index += 1) {
    const value = VALUES.get(codeAt(index));
    if (value === undefined) return null;
    number = number * ALPHABET.length + value;
  }
  return number;
}

function text(value: number, length: number): string {
  let [rest, result] = [value, ""];
  for (let digit = 0; digit < length; digit += 1) {
    result = ALPHABET.charAt(rest % ALPHABET.length) + result;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return result;
}

/** The position of a number in a sorted array; -1 if it is not in it. */
function search(sorted: BigUint64Array, wanted: bigint): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const value = sorted[middle];
    if (value === wanted) return middle;
    if (value !== undefined && value < wanted) low = middle + 1;
    else high = middle;
  }
  return -1;
}

const NEWLINE = 10;

/** The hashes in the lines of an index. */
export type HashSet = {
  readonly has: (hash: Hash) => boolean;
  /** Lines that are not empty, whatever their content. */
  readonly lines: number;
};

/** Reads an index; lines that are no hashes are counted and dropped. */
export function hashSetOf(bytes: Uint8Array): HashSet {
  const numbers = new BigUint64Array(Math.ceil(bytes.length / HASH_LENGTH));
  let [size, lines, start] = [0, 0, 0];
  while (start < bytes.length) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline === -1 ? bytes.length : newline;
    if (end > start) lines += 1;
    const number = end - start === HASH_LENGTH ? numberInBytes(bytes, start) : null;
    if (number !== null) {
      numbers[size] = number;
      size += 1;
    }
    start = end + 1;
  }
  const sorted = numbers.slice(0, size).sort();
  return { lines, has: (hash) => search(sorted, numberOf(hash)) !== -1 };
}

/** Hashes in order, each with an index from 0: facts about a node are kept in arrays at its index. */
export type HashTable = {
  readonly size: number;
  /** -1 when the hash is not in the table. */
  readonly placeOf: (hash: Hash) => number;
  readonly hashAt: (place: number) => Hash;
};

/** Collects hashes, 8 bytes for each. */
export function hashList() {
  let numbers = new BigUint64Array(1024);
  let size = 0;
  const add = (hash: Hash): void => {
    if (size === numbers.length) {
      const larger = new BigUint64Array(size * 2);
      larger.set(numbers);
      numbers = larger;
    }
    numbers[size] = numberOf(hash);
    size += 1;
  };
  return { add, size: () => size, table: () => tableOf(numbers.slice(0, size).sort()) };
}

/** A table of these hashes; a hash given twice has two neighbouring indexes, of which `placeOf` finds one. */
export function hashTableOf(hashes: Iterable<Hash>): HashTable {
  const list = hashList();
  for (const hash of hashes) list.add(hash);
  return list.table();
}

function tableOf(sorted: BigUint64Array): HashTable {
  return {
    size: sorted.length,
    placeOf: (hash) => search(sorted, numberOf(hash)),
    hashAt: (place) => hashOfNumber(sorted[place] ?? 0n),
  };
}
