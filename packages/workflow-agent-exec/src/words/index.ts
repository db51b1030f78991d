export { HELP } from "./help.js";
export { parseWords, USAGE } from "./parse.js";
export type { Parsed, Words } from "./types.js";
