export { evaluateCondition, observeByJsonata, observeCondition } from "./evaluate.js";
export type { JsonValue } from "./types.js";
