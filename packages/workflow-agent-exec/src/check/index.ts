export { type Checked, check, isCheck, type Report } from "./check.js";
