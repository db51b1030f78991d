export { base32, HASH_LENGTH } from "./base32.js";
export { type Hasher, hashBytes } from "./hash-bytes.js";
export { hashNode } from "./hash-node.js";
export { isHash, parseHash } from "./parse.js";
