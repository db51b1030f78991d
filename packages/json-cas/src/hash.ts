import type { Hash } from "./node.js";

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Characters of a hash: 64 bits of 5 each. */
export const HASH_LENGTH = 13;

/** A u64 in Crockford Base32, most significant digit first; 13 digits carry 65 bits, so the first is 0..F. */
export function base32(value: bigint): string {
  view.setBigUint64(0, value);
  return readHash(eight, 0);
}

const eight = new Uint8Array(8);
const view = new DataView(eight.buffer);

/** Digit → character code. */
const CODES = Uint8Array.from(ALPHABET, (digit) => digit.charCodeAt(0));

/** The hash whose 8 bytes, big-endian, begin there. Arithmetic on a bigint would take longer than hashing a node. */
export function readHash(bytes: Uint8Array, at: number): Hash {
  const [high, low] = [readWord(bytes, at), readWord(bytes, at + 4)];
  const code = (digit: number): number => CODES[digit & 31] ?? 0;
  // Six digits and three bits in the upper word; the first one has only four bits.
  return String.fromCharCode(
    code(high >>> 28),
    code(high >>> 23),
    code(high >>> 18),
    code(high >>> 13),
    code(high >>> 8),
    code(high >>> 3),
    code((high << 2) | (low >>> 30)),
    code(low >>> 25),
    code(low >>> 20),
    code(low >>> 15),
    code(low >>> 10),
    code(low >>> 5),
    code(low),
  ) as Hash;
}

function readWord(bytes: Uint8Array, at: number): number {
  const byte = (index: number): number => bytes[at + index] ?? 0;
  return (byte(0) << 24) | (byte(1) << 16) | (byte(2) << 8) | byte(3);
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

// bun has XXH64 built in. Elsewhere it is WebAssembly, which starts asynchronously: library.ts awaits that
// when the package is imported, scripts/bins/start.ts when a binary of ours starts, so that all other code
// hashes synchronously.

/** XXH64 with seed 0 as an unsigned 64-bit number. */
type Xxh64 = (bytes: Uint8Array) => bigint;

/** In the global object, as bun's is: a binary is several bundles, each with a copy of this module. */
const STARTED = Symbol.for("@uncaged/json-cas: XXH64");

type Runtime = {
  readonly Bun?: { readonly hash: { readonly xxHash64: (bytes: Uint8Array, seed: bigint) => bigint } };
  [STARTED]?: Xxh64;
};

const runtime = globalThis as unknown as Runtime;
const builtIn = runtime.Bun ? runtime.Bun.hash.xxHash64 : undefined;

/** Await this before the first hash. The package does not export it: importing the package awaits it. */
export async function startHashing(): Promise<void> {
  if (builtIn !== undefined || runtime[STARTED] !== undefined) return;
  // bun has XXH64 built in and never reads it.
  const { default: xxhash } = await import("xxhash-wasm");
  const { h64Raw } = await xxhash();
  runtime[STARTED] = (bytes) => h64Raw(bytes, 0n);
}

export const xxh64: Xxh64 = builtIn === undefined ? started : (bytes) => builtIn(bytes, 0n);

function started(bytes: Uint8Array): bigint {
  const hash = runtime[STARTED];
  if (hash === undefined) throw new Error("a hash was asked for before XXH64 was started");
  return hash(bytes);
}
