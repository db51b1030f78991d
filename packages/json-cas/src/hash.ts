import type { Hash } from "./node.js";
import { xxh64 } from "./xxh64.js";

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Characters of a hash: 64 bits of 5 each. */
export const HASH_LENGTH = 13;

/** A u64 in Crockford Base32, most significant digit first; 13 digits carry 65 bits, so the first is 0..F. */
export function base32(value: bigint): string {
  eight.setBigUint64(0, value);
  return readHash(new Uint8Array(eight.buffer), 0);
}

const eight = new DataView(new ArrayBuffer(8));

/** The hash whose 8 bytes, big-endian, begin there. Arithmetic on a bigint would take longer than hashing a node. */
export function readHash(bytes: Uint8Array, at: number): Hash {
  // The first digit has 4 bits, every other one 5. Characters at once: sets would have to put together a text of pieces.
  const codes: number[] = [];
  let [held, count] = [0, 1];
  for (let index = at; index < at + 8; index += 1) {
    held = ((held << 8) | (bytes[index] ?? 0)) & 0xfff;
    for (count += 8; count >= 5; ) {
      count -= 5;
      codes.push(ALPHABET.charCodeAt((held >> count) & 31));
    }
  }
  return String.fromCharCode(...codes) as Hash;
}

/** The 8 bytes of a hash, big-endian. */
export function hashToBytes(hash: Hash): Uint8Array {
  const bytes = new Uint8Array(8);
  let [held, count, at] = [0, -1, 0];
  for (let index = 0; index < HASH_LENGTH; index += 1) {
    held = ((held << 5) | ALPHABET.indexOf(hash.charAt(index))) & 0xfff;
    count += 5;
    if (count < 8) continue;
    count -= 8;
    bytes[at] = held >> count;
    at += 1;
  }
  return bytes;
}

/** A hash over bytes; tests put a weak one in its place to provoke collisions. */
export type Hasher = (bytes: Uint8Array) => Hash;

/** XXH64, seed 0, as a `Hash`. */
export function hashBytes(bytes: Uint8Array): Hash {
  return base32(xxh64(bytes)) as Hash;
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

/** A hash as a person types it (either case); `null` when it is none. */
export function parseHash(text: string): Hash | null {
  const upper = text.toUpperCase();
  return isHash(upper) ? upper : null;
}
