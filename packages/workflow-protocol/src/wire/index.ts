export { ENV } from "./env.js";
export { lastLine } from "./reply-line.js";
export type { EndingRecord, HistoryLine, LogLine, RunRecord, RunReport } from "./types.js";
