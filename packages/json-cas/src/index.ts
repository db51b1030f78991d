export { checkSchema } from "./check-schema/index.js";
export { DecodeError, decode, decodeNode, encode, encodeNode } from "./codec/index.js";
export * from "./fault/index.js";
export { HASH_LENGTH, hashBytes, isHash, parseHash } from "./hash/index.js";
export { createMemoryStore } from "./memory-store/index.js";
export { computeHash, FOREIGN_ROOTS, META_SCHEMA, META_SCHEMA_HASH, selfHash } from "./meta-schema/index.js";
export { resolveHash, suggest } from "./names/index.js";
export * from "./node/index.js";
export { getSchema, type Reader, validate } from "./node-type/index.js";
export {
  type Backend,
  bootstrap,
  compareContent,
  type PreparedNode,
  prepareNode,
  putNode,
  putSchema,
  settleNode,
} from "./put/index.js";
export { placeOf, refs, refsOf } from "./refs/index.js";
export * from "./result/index.js";
export { checkStorable, freezeCopy } from "./storable/index.js";
export { validatePayload } from "./validate/index.js";
export { type Finding, verify, verifyEncoded, verifyNode } from "./verify/index.js";
export { type WalkOptions, type WalkVisit, walk } from "./walk/index.js";
