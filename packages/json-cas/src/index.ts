export {
  err,
  isObject,
  MAX_VALUES,
  META_SCHEMA,
  ok,
  type Result,
  referred,
  type SchemaProblem,
  schemaProblemMessage,
  suggest,
  type Violation,
  violationMessage,
} from "@uncaged/json-schema";
export { builtInTypes, declareTypes } from "./built-in.js";
export {
  DecodeError,
  decode,
  decodeNode,
  encode,
  encodeAround,
  encodeNode,
  LAST_TIME,
} from "./codec/index.js";
export { CasError, type CasFault, faultMessage, shownIds } from "./fault.js";
export { HASH_LENGTH, hashBytes, hashToBytes, isHash, parseHash, readHash } from "./hash.js";
export { lineProblem } from "./line-problem.js";
export { createMemoryStore } from "./memory-store.js";
export { computeHash, FOREIGN_ROOTS, META_SCHEMA_HASH, selfHash } from "./meta-schema.js";
export { resolveHash } from "./names.js";
export type { CasNode, Hash, JsonObject, JsonValue, Store } from "./node.js";
export { getSchema, type Reader, validate, validateBuiltIn } from "./node-type.js";
export { parseJson, parseLenientJson } from "./parse-json.js";
export { type Backend, bootstrap, compareContent, putNode, putSchema } from "./put.js";
export { placeOf, refs, refsOf } from "./refs.js";
export { checkSchema, FORMAT_NAMES, validatePayload } from "./schemas.js";
export { checkStorable, freezeCopy } from "./storable.js";
export { escapeControls, hasControls, sanitizeStream, sanitizeTerminal } from "./terminal.js";
export { verify, verifyEncoded } from "./verify.js";
export { type WalkOptions, type WalkVisit, walk } from "./walk.js";
