export { helpOf, usageOf } from "./help.js";
export { parseOptions } from "./parse.js";
export type { Kind, Options, Parsed } from "./types.js";
