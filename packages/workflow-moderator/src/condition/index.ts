export { evaluateCondition, type JsonValue, observeByJsonata, observeCondition } from "./evaluate.js";
