import type { Hash } from "./node.js";
import { xxh64 } from "./xxh64.js";

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Characters of a hash: 64 bits of 5 each. */
export const HASH_LENGTH = 13;

/** A number of 64 bits as two of 32: arithmetic on a bigint takes longer than hashing a node. */
const halves = new DataView(new ArrayBuffer(8));

/** A u64 in Crockford Base32, most significant digit first; 13 digits carry 65 bits, so the first is 0..F. */
export function base32(value: bigint): string {
  halves.setBigUint64(0, value);
  const high = halves.getUint32(0);
  const low = halves.getUint32(4);
  const middle = ((high & 0x0fffffff) << 2) | (low >>> 30);
  return ALPHABET.charAt(high >>> 28) + sixDigits(middle) + sixDigits(low & 0x3fffffff);
}

/** 30 bits. */
function sixDigits(bits: number): string {
  let text = "";
  for (let shift = 25; shift >= 0; shift -= 5) text += ALPHABET.charAt((bits >>> shift) & 31);
  return text;
}

/** A hash over bytes; tests put a weak one in its place to provoke collisions. */
export type Hasher = (bytes: Uint8Array) => Hash;

/** XXH64, seed 0, as a `Hash`. */
export function hashBytes(bytes: Uint8Array): Hash {
  return base32(xxh64(bytes)) as Hash;
}

/** Whether the hash of bytes is the number of 64 bits that has these halves, without writing it as text. */
export function hashesTo(bytes: Uint8Array, high: number, low: number): boolean {
  halves.setBigUint64(0, xxh64(bytes));
  return halves.getUint32(0) === high && halves.getUint32(4) === low;
}

/** Hash of a node from its parts: 13 ASCII bytes of the type, then the payload's DAG-CBOR. */
export function hashNode(hasher: Hasher, type: Hash, payloadBytes: Uint8Array): Hash {
  const length = type.length + payloadBytes.length;
  const bytes = length <= room.length ? room.subarray(0, length) : new Uint8Array(length);
  for (let index = 0; index < type.length; index += 1) bytes[index] = type.charCodeAt(index);
  bytes.set(payloadBytes, type.length);
  return hasher(bytes);
}

/** Most nodes fit; a hasher keeps nothing of its bytes. */
const room = new Uint8Array(16 * 1024);

const HASH = /^[0-9A-F][0-9A-HJKMNP-TV-Z]{12}$/;

/** True for 13 characters of the alphabet in upper case, the first one 0..F. */
export function isHash(value: unknown): value is Hash {
  return typeof value === "string" && HASH.test(value);
}

/** Character code → digit; 32: none. */
const DIGITS = new Uint8Array(256).fill(32);
for (let digit = 0; digit < ALPHABET.length; digit += 1) DIGITS[ALPHABET.charCodeAt(digit)] = digit;

/** `isHash` of the 13 bytes from `at` on. */
export function isHashAt(bytes: Uint8Array, at: number): boolean {
  if ((DIGITS[bytes[at] ?? 0] ?? 32) > 15) return false;
  for (let index = 1; index < HASH_LENGTH; index += 1)
    if (DIGITS[bytes[at + index] ?? 0] === 32) return false;
  return true;
}

/** A hash as a person types it (either case); `null` when it is none. */
export function parseHash(text: string): Hash | null {
  const upper = text.toUpperCase();
  return isHash(upper) ? upper : null;
}
