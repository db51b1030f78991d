import type { Hash } from "../node/index.js";
import { base32 } from "./base32.js";
import { xxh64 } from "./instance.js";

/** A hash over bytes; tests put a weak one in its place to provoke collisions. */
export type Hasher = (bytes: Uint8Array) => Hash;

/** XXH64, seed 0, as a `Hash`. */
export function hashBytes(bytes: Uint8Array): Hash {
  return base32(xxh64(bytes)) as Hash;
}
