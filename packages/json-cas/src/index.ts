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
export { DecodeError, decode, decodeNode, LAST_TIME } from "./decode.js";
export { checkStorable, encode, encodeAround, encodeNode, freezeCopy } from "./encode.js";
export { CasError, type CasFault, faultMessage, lineProblem, shownIds } from "./fault.js";
export { HASH_LENGTH, hashBytes, hashToBytes, isHash, parseHash, readHash } from "./hash.js";
export {
  builtInTypes,
  computeHash,
  declareTypes,
  FOREIGN_ROOTS,
  META_SCHEMA_HASH,
  selfHash,
  verify,
  verifyEncoded,
} from "./identity.js";
export type { CasNode, Hash, JsonObject, JsonValue, Store } from "./node.js";
export {
  checkSchema,
  FORMAT_NAMES,
  getSchema,
  type Reader,
  validate,
  validateBuiltIn,
  validatePayload,
} from "./node-type.js";
export { parseJson, parseLenientJson } from "./parse-json.js";
export { type Backend, bootstrap, compareContent, putNode, putSchema } from "./put.js";
export { placeOf, refs, refsOf, type WalkOptions, type WalkVisit, walk } from "./refs.js";
export { createMemoryStore, resolveHash } from "./store.js";
export { escapeControls, hasControls, sanitizeStream, sanitizeTerminal } from "./terminal.js";
