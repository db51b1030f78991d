export { type Checked, check, isCheck } from "./check.js";
