export { BANNED, EVALUATION_LIMITS, metered, WHOLE_COST } from "./budget.js";
export { loadEvaluatorUrl, loadJsonata } from "./load.js";
export { compileLinear, linearRegexEngine } from "./regex.js";
export { isBoolean, run, sentenceOf } from "./run.js";
export { filtersOf, nodesOf, nodesWithDepth, partsOf, pathText } from "./trace.js";
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
