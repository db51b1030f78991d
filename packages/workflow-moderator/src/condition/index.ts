export {
  evaluateCondition,
  isSimpleCondition,
  type JsonValue,
  observeByJsonata,
  observeCondition,
} from "./evaluate.js";
