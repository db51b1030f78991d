export { evaluateSimple } from "./evaluate.js";
export { parseSimple } from "./parse.js";
export type { SimpleCondition } from "./types.js";
export { windowOfSimple } from "./window.js";
