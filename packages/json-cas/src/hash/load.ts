/** XXH64 with seed 0 as an unsigned 64-bit number. */
export type Xxh64 = (bytes: Uint8Array) => bigint;

type NativeHash = {
  readonly Bun?: { readonly hash: { readonly xxHash64: (bytes: Uint8Array, seed: bigint) => bigint } };
};

/**
 * bun has XXH64 built in; elsewhere it is xxhash-wasm. The one lazy import of this package: instantiating WebAssembly
 * takes bun 2 to 9 ms of a process that lives for 30. A test compares the two.
 */
export async function loadXxh64(): Promise<Xxh64> {
  const native = (globalThis as unknown as NativeHash).Bun?.hash.xxHash64;
  if (native !== undefined) return (bytes) => native(bytes, 0n);
  const { default: instantiate } = await import("xxhash-wasm");
  const { h64Raw } = await instantiate();
  return (bytes) => h64Raw(bytes, 0n);
}
