import xxhash from "xxhash-wasm";
import type { Hash } from "../node/index.js";
import { base32 } from "./base32.js";

// Instantiated once, while the module loads (0.3 ms): hashing itself stays synchronous.
const { h64Raw } = await xxhash();

/** A hash over bytes; tests put a weak one in its place to provoke collisions. */
export type Hasher = (bytes: Uint8Array) => Hash;

/** XXH64, seed 0, as a `Hash`. */
export function hashBytes(bytes: Uint8Array): Hash {
  return base32(h64Raw(bytes, 0n)) as Hash;
}
