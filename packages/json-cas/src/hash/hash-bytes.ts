import type { Hash } from "../node/index.js";
import { base32 } from "./base32.js";
import { type Xxh64, xxh64InJavaScript } from "./xxh64.js";

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
