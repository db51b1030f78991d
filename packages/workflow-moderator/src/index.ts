export type { ExpressionProblem, GraphProblem } from "./check/index.js";
export { type Checks, loadChecks } from "./check-lazily.js";
export {
  type EvaluationSession,
  evaluateCondition,
  isPlainCondition,
  openEvaluationSession,
} from "./condition.js";
export {
  type Decision,
  decide,
  type ExplainedTransition,
  type Explanation,
  explain,
  stepsNeeded,
  type TriedTransition,
} from "./decide.js";
export { type ReadValue, valuesRead } from "./values-read.js";
