export { CASES } from "./all.js";
