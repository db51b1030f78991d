export { PatternError } from "./parse.js";
export { compilePattern } from "./run.js";
