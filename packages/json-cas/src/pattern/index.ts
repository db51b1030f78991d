export { compilePattern } from "./compile.js";
export { PatternError } from "./error.js";
export type { Pattern } from "./types.js";
