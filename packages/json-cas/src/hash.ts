import type { Hash } from "./node.js";

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

// XXH64 with seed 0 (https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md), the 64-bit numbers as two halves of
// 32 bits: exact in JavaScript, without a BigInt per operation, and there at once, where WebAssembly takes a process
// 3 ms before the first byte.

/** XXH64 with seed 0 as an unsigned 64-bit number. */
type Xxh64 = (bytes: Uint8Array) => bigint;

/** A 64-bit number that is counted with in place. */
type Word = { high: number; low: number };

type Constant = { readonly high: number; readonly low: number };

const PRIME_1 = { high: 0x9e3779b1, low: 0x85ebca87 };
const PRIME_2 = { high: 0xc2b2ae3d, low: 0x27d4eb4f };
const PRIME_3 = { high: 0x165667b1, low: 0x9e3779f9 };
const PRIME_4 = { high: 0x85ebca77, low: 0xc2b2ae63 };
const PRIME_5 = { high: 0x27d4eb2f, low: 0x165667c5 };
const ZERO = { high: 0, low: 0 };

const STRIPE = 32;
const LANE = 8;

export const xxh64InJavaScript: Xxh64 = (bytes) => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const hash = word(ZERO);
  let at = 0;
  if (bytes.length >= STRIPE) at = digestStripes(view, hash);
  else add(hash, PRIME_5);
  add(hash, { high: Math.floor(bytes.length / 2 ** 32), low: bytes.length | 0 });
  digestRest(view, hash, at);
  avalanche(hash);
  return (BigInt(hash.high >>> 0) << 32n) | BigInt(hash.low >>> 0);
};

function word({ high, low }: Constant): Word {
  return { high, low };
}

/** Four lanes of eight bytes at a time; gives where the rest begins. */
function digestStripes(view: DataView, hash: Word): number {
  const first = word(PRIME_1);
  add(first, PRIME_2);
  const last = negative(PRIME_1);
  const lanes = [first, word(PRIME_2), word(ZERO), last] as const;
  const input = word(ZERO);
  let at = 0;
  for (; at + STRIPE <= view.byteLength; at += STRIPE) {
    for (let lane = 0; lane < 4; lane += 1) {
      read(input, view, at + lane * LANE);
      round(lanes[lane as 0 | 1 | 2 | 3], input);
    }
  }
  converge(hash, lanes);
  return at;
}

const ROTATIONS = [1, 7, 12, 18] as const;

function converge(hash: Word, lanes: readonly [Word, Word, Word, Word]): void {
  for (const [index, lane] of lanes.entries()) {
    const turned = word(lane);
    rotate(turned, ROTATIONS[index as 0 | 1 | 2 | 3]);
    add(hash, turned);
  }
  for (const lane of lanes) {
    const merged = word(ZERO);
    round(merged, lane);
    xor(hash, merged);
    multiply(hash, PRIME_1);
    add(hash, PRIME_4);
  }
}

/** The last 31 bytes at most: by eights, by four, one by one. */
function digestRest(view: DataView, hash: Word, start: number): void {
  const input = word(ZERO);
  let at = start;
  for (; at + LANE <= view.byteLength; at += LANE) {
    const mixed = word(ZERO);
    read(input, view, at);
    round(mixed, input);
    fold(hash, mixed, 27, PRIME_1, PRIME_4);
  }
  if (at + 4 <= view.byteLength) {
    const four = { high: 0, low: view.getInt32(at, true) };
    multiply(four, PRIME_1);
    fold(hash, four, 23, PRIME_2, PRIME_3);
    at += 4;
  }
  for (; at < view.byteLength; at += 1) {
    const byte = { high: 0, low: view.getUint8(at) };
    multiply(byte, PRIME_5);
    fold(hash, byte, 11, PRIME_1, ZERO);
  }
}

function fold(hash: Word, mixed: Constant, bits: number, factor: Constant, summand: Constant): void {
  xor(hash, mixed);
  rotate(hash, bits);
  multiply(hash, factor);
  add(hash, summand);
}

function avalanche(hash: Word): void {
  xor(hash, shifted(hash, 33));
  multiply(hash, PRIME_2);
  xor(hash, shifted(hash, 29));
  multiply(hash, PRIME_3);
  xor(hash, shifted(hash, 32));
}

function round(lane: Word, input: Constant): void {
  const product = word(input);
  multiply(product, PRIME_2);
  add(lane, product);
  rotate(lane, 31);
  multiply(lane, PRIME_1);
}

function read(target: Word, view: DataView, at: number): void {
  target.low = view.getInt32(at, true);
  target.high = view.getInt32(at + 4, true);
}

function add(target: Word, { high, low }: Constant): void {
  const sum = (target.low >>> 0) + (low >>> 0);
  target.high = (target.high + high + (sum > 0xffffffff ? 1 : 0)) | 0;
  target.low = sum | 0;
}

function xor(target: Word, { high, low }: Constant): void {
  target.high ^= high;
  target.low ^= low;
}

/** To the left, by 1 to 31 bits. */
function rotate(target: Word, bits: number): void {
  const { high, low } = target;
  target.high = (high << bits) | (low >>> (32 - bits));
  target.low = (low << bits) | (high >>> (32 - bits));
}

/** To the right, by 29 to 33 bits. */
function shifted({ high, low }: Constant, bits: number): Constant {
  if (bits >= 32) return { high: 0, low: high >>> (bits - 32) };
  return { high: high >>> bits, low: (low >>> bits) | (high << (32 - bits)) };
}

function negative({ high, low }: Constant): Word {
  const target = { high: ~high, low: ~low };
  add(target, { high: 0, low: 1 });
  return target;
}

/** Modulo 2^64. The low halves are multiplied by 16 bits, so that every part is exact in a float. */
function multiply(target: Word, { high, low }: Constant): void {
  const a0 = target.low & 0xffff;
  const a1 = target.low >>> 16;
  const b0 = low & 0xffff;
  const b1 = low >>> 16;
  const lowest = a0 * b0;
  const middle = a0 * b1 + a1 * b0 + (lowest >>> 16);
  const carried = a1 * b1 + Math.floor(middle / 0x10000);
  target.high = (carried + Math.imul(target.low, high) + Math.imul(target.high, low)) | 0;
  target.low = ((middle & 0xffff) << 16) | (lowest & 0xffff);
}

/** A hash over bytes; tests put a weak one in its place to provoke collisions. */
export type Hasher = (bytes: Uint8Array) => Hash;

type NativeHash = {
  readonly Bun?: { readonly hash: { readonly xxHash64: (bytes: Uint8Array, seed: bigint) => bigint } };
};

const native = (globalThis as unknown as NativeHash).Bun?.hash.xxHash64;

/** bun has it built in. */
const xxh64: Xxh64 = native === undefined ? xxh64InJavaScript : (bytes) => native(bytes, 0n);

/** XXH64, seed 0, as a `Hash`. */
export function hashBytes(bytes: Uint8Array): Hash {
  return base32(xxh64(bytes)) as Hash;
}

/** Hash of a node from its parts: 13 ASCII bytes of the type, then the payload's DAG-CBOR. */
export function hashNode(hasher: Hasher, type: Hash, payloadBytes: Uint8Array): Hash {
  const bytes = new Uint8Array(type.length + payloadBytes.length);
  for (let index = 0; index < type.length; index += 1) bytes[index] = type.charCodeAt(index);
  bytes.set(payloadBytes, type.length);
  return hasher(bytes);
}

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
