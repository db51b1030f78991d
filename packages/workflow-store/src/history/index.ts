export { appendHistory } from "./append.js";
export { readHistory, readHistoryOf } from "./read.js";
export type { History } from "./types.js";
