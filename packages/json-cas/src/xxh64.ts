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
