export {
  evaluateCondition,
  isSimpleCondition,
  type JsonValue,
  observeByJsonata,
  observeCondition,
} from "./evaluate.js";
export { type EvaluationSession, type Observe, openEvaluationSession } from "./session.js";
