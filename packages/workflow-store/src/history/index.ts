export { appendHistory } from "./append.js";
export { readHistory } from "./read.js";
export type { History } from "./types.js";
