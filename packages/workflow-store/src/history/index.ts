export { appendHistory } from "./append.js";
export { indexHistory, readHistory, readHistoryOf } from "./read.js";
export type { History, HistoryIndex } from "./types.js";
