export { createBody } from "./body.js";
export type { Body } from "./types.js";
