export { computeHash, hashEncoded, isMetaSchema, META_SCHEMA_HASH, selfHash } from "./compute-hash.js";
export { FOREIGN_ROOTS } from "./foreign-roots.js";
export { META_SCHEMA } from "./meta-schema.js";
