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

/** The number that 13 bytes of text stand for; `null` when they are no hash. */
export function numberInBytes(bytes: Uint8Array, start: number): bigint | null {
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
