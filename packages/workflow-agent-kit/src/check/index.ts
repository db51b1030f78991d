export { runCheck } from "./check.js";
export type { CaseResult, CheckHost, Report } from "./types.js";
