export { evaluateCondition, isPlainCondition, type JsonValue, observeCondition } from "./evaluate.js";
export { type EvaluationSession, type Observe, openEvaluationSession } from "./session.js";
