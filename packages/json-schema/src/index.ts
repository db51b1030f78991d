export { checkSchema } from "./check-schema.js";
export {
  copyJson,
  escapeSegment,
  isObject,
  type JsonObject,
  type JsonValue,
  MAX_DEPTH,
  MAX_VALUES,
  type NotJson,
  pointer,
  setOwn,
  type Wrapping,
} from "./json.js";
export { META_SCHEMA } from "./meta-schema.js";
export { type SchemaProblem, schemaProblemMessage, type Violation, violationMessage } from "./problems.js";
export { err, ok, type Result } from "./result.js";
export {
  entriesOf,
  keyword,
  listOf,
  type Positions,
  referred,
  resolveRef,
  type SchemaObject,
  type Subschema,
  subschemas,
} from "./schema.js";
export { suggest } from "./suggest.js";
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
