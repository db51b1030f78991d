export { evaluateSimple } from "./evaluate.js";
export { parseSimple } from "./parse.js";
export { type ReadValue, valuesRead } from "./values.js";
export { windowOfSimple } from "./window.js";
