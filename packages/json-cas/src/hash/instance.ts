import { loadXxh64 } from "./load.js";

/** Found once, while the module loads: hashing itself stays synchronous. */
export const xxh64 = await loadXxh64();
