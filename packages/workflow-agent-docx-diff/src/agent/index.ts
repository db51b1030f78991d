export { docxDiff } from "./agent.js";
export { check } from "./check.js";
export { HELP, USAGE } from "./options.js";
export type { Port } from "./types.js";
