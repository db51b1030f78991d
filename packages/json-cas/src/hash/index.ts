export { base32, HASH_LENGTH } from "./base32.js";
export { hashNode } from "./hash-node.js";
export { isHash, parseHash } from "./parse.js";
export type { Hasher } from "./xxh64.js";
export { hashBytes } from "./xxh64.js";
