export { runCheck } from "./check.js";
export type { Report } from "./types.js";
