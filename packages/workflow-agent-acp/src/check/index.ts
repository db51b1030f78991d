export { isCheck, runCheck } from "./check.js";
export type { CheckPort, Report } from "./types.js";
