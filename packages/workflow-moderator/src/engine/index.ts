export { WHOLE_COST } from "./budget.js";
export { BANNED, EVALUATION_LIMITS, metered } from "./limits.js";
export { loadEvaluatorUrl, loadJsonata } from "./load.js";
export { filtersOf, pathText } from "./path-text.js";
export { compileLinear, linearRegexEngine } from "./regex.js";
export { isBoolean, run, sentenceOf } from "./run.js";
export { nodesOf, nodesWithDepth } from "./trace.js";
export type {
  AstNode,
  Compiled,
  Jsonata,
  Meter,
  NextRequest,
  Observation,
  ServeAnswer,
  ServeRequest,
} from "./types.js";
