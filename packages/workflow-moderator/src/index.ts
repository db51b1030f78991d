export * from "./check/index.js";
export { evaluateCondition } from "./condition/index.js";
export * from "./decide/index.js";
