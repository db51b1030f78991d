export { evaluateCondition, isBoolean, observeCondition } from "./evaluate.js";
export type { JsonValue } from "./types.js";
