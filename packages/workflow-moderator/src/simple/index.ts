export { evaluateSimple } from "./evaluate.js";
export { parseSimple } from "./parse.js";
export { windowOfSimple } from "./window.js";
