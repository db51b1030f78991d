export { err, ok } from "./result.js";
export type { Result } from "./types.js";
