export {
  asBoolean,
  asFilledText,
  asList,
  asMap,
  asNumber,
  asText,
  asTextList,
  entry,
  isList,
  isMap,
} from "./checks.js";
export { describe, quote } from "./describe.js";
export { addError, addWarning, createFindings, hasErrors, sortProblems } from "./findings.js";
export { checkKeys } from "./keys.js";
export { below, nameOf, segmentsOf } from "./pointer.js";
export type { Finding, Findings, KeyRules, Locate, Position } from "./types.js";
