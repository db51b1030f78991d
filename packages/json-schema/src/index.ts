export { checkSchema } from "./check-schema.js";
export {
  copyJson,
  err,
  escapeSegment,
  isObject,
  type JsonObject,
  type JsonValue,
  MAX_DEPTH,
  MAX_VALUES,
  type NotJson,
  ok,
  pointer,
  type Result,
  setOwn,
  type Wrapping,
} from "./json.js";
export { META_SCHEMA } from "./meta-schema.js";
export { samplePattern } from "./pattern-syntax.js";
export {
  type SchemaProblem,
  schemaProblemMessage,
  suggest,
  type Violation,
  violationMessage,
} from "./problems.js";
export {
  entriesAt,
  entriesOf,
  keyword,
  listAt,
  listOf,
  type Positions,
  referred,
  resolveRef,
  type SchemaObject,
  type Subschema,
  subschemas,
  textsAt,
} from "./schema.js";
export {
  applicable,
  type Child,
  type CustomFormat,
  children,
  createValidator,
  FORMAT_NAMES,
  type Formats,
  furtherChildren,
  type Scope,
  TooMuchWork,
  type Validator,
  validate,
  violationsOf,
} from "./validate/index.js";
export {
  appliedTo,
  firstOf,
  type Gathered,
  gather,
  joined,
  listedValues,
  propertiesOf,
  requiredOf,
  statedTypes,
  type TypeName,
  typesOf,
  unionsOf,
} from "./walk.js";
