import type { Hash } from "@uncaged/json-cas";

// A hash is 13 digits of 5 bits, of which the first has only 4: a number of 64 bits. Here it is two of 32.
//
//   digit   0    1 … 5      6          7 … 12
//   bits    4    25         3 | 2      30
//           ╰── high, 32 ───╯ ╰─ low, 32 ─╯

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Character code → digit. */
const DIGITS = new Uint8Array(128);
for (let digit = 0; digit < ALPHABET.length; digit += 1) DIGITS[ALPHABET.charCodeAt(digit)] = digit;

/** The upper 32 bits. */
export function highOf(hash: Hash): number {
  let bits = 0;
  for (let index = 0; index < 6; index += 1) bits = (bits << 5) | digitAt(hash, index);
  return ((bits << 3) | (digitAt(hash, 6) >>> 2)) >>> 0;
}

/** The lower 32 bits. */
export function lowOf(hash: Hash): number {
  let bits = digitAt(hash, 6) & 3;
  for (let index = 7; index < 13; index += 1) bits = (bits << 5) | digitAt(hash, index);
  return bits >>> 0;
}

/** `highOf` of the hash that is written in bytes from `at` on. */
export function highAt(bytes: Uint8Array, at: number): number {
  let bits = 0;
  for (let index = 0; index < 6; index += 1) bits = (bits << 5) | digitIn(bytes, at + index);
  return ((bits << 3) | (digitIn(bytes, at + 6) >>> 2)) >>> 0;
}

/** `lowOf` of the same. */
export function lowAt(bytes: Uint8Array, at: number): number {
  let bits = digitIn(bytes, at + 6) & 3;
  for (let index = 7; index < 13; index += 1) bits = (bits << 5) | digitIn(bytes, at + index);
  return bits >>> 0;
}

function digitIn(bytes: Uint8Array, at: number): number {
  return DIGITS[bytes[at] ?? 0] ?? 0;
}

export function hashOfHalves(high: number, low: number): Hash {
  let text = ALPHABET.charAt(high >>> 28);
  for (let shift = 23; shift >= 3; shift -= 5) text += ALPHABET.charAt((high >>> shift) & 31);
  text += ALPHABET.charAt(((high & 7) << 2) | (low >>> 30));
  for (let shift = 25; shift >= 0; shift -= 5) text += ALPHABET.charAt((low >>> shift) & 31);
  return text as Hash;
}

function digitAt(hash: Hash, index: number): number {
  return DIGITS[hash.charCodeAt(index)] ?? 0;
}
