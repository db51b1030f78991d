export { check, isReady } from "./check.js";
export type { Checkable, Report } from "./types.js";
