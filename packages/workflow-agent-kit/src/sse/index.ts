export { createBody } from "./body.js";
export type { Body } from "./events.js";
