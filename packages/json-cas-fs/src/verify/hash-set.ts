import type { Hash } from "@uncaged/json-cas";

// A store may have more nodes than fit into memory as strings. A hash is a 64-bit number, so a sorted array of
// numbers needs 8 bytes for each: 80 MB for ten million.

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const LENGTH = 13;
const NEWLINE = 10;

/** 6 characters are 29 bits (the first one is 0..F), the other 7 are 35: both exact as plain numbers. */
const SPLIT = 6;
const LOW_BITS = 35n;

const VALUES: ReadonlyMap<number, number> = new Map(
  [...ALPHABET].map((c, value) => [c.charCodeAt(0), value]),
);

/** The hashes in the lines of an index. */
export type HashSet = {
  readonly has: (hash: Hash) => boolean;
  /** Lines that are not empty, whatever stands in them. */
  readonly lines: number;
};

/** Reads an index; lines that are no hashes are counted and dropped. */
export function hashSetOf(bytes: Uint8Array): HashSet {
  const numbers = new BigUint64Array(Math.ceil(bytes.length / LENGTH));
  let [size, lines, start] = [0, 0, 0];
  while (start < bytes.length) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline === -1 ? bytes.length : newline;
    if (end > start) lines += 1;
    const number = end - start === LENGTH ? toNumber(bytes, start) : null;
    if (number !== null) {
      numbers[size] = number;
      size += 1;
    }
    start = end + 1;
  }
  const sorted = numbers.slice(0, size).sort();
  const ascii = new TextEncoder();
  return { lines, has: (hash) => contains(sorted, toNumber(ascii.encode(hash), 0)) };
}

function toNumber(bytes: Uint8Array, start: number): bigint | null {
  const high = digits(bytes, start, start + SPLIT);
  const low = digits(bytes, start + SPLIT, start + LENGTH);
  return high === null || low === null ? null : BigInt.asUintN(64, (BigInt(high) << LOW_BITS) | BigInt(low));
}

function digits(bytes: Uint8Array, start: number, end: number): number | null {
  let number = 0;
  for (let index = start; index < end; index += 1) {
    const value = VALUES.get(bytes[index] ?? 0);
    if (value === undefined) return null;
    number = number * ALPHABET.length + value;
  }
  return number;
}

function contains(sorted: BigUint64Array, wanted: bigint | null): boolean {
  let [low, high] = [0, sorted.length];
  while (wanted !== null && low < high) {
    const middle = (low + high) >>> 1;
    const value = sorted[middle];
    if (value === wanted) return true;
    if (value !== undefined && value < wanted) low = middle + 1;
    else high = middle;
  }
  return false;
}
