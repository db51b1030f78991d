export type { Checked } from "./check.js";
export { check, isCheck } from "./check.js";
