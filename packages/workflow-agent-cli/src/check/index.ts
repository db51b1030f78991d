export { check, isReady } from "./check.js";
export type { Report } from "./types.js";
