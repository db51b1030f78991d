export { ENV } from "./env.js";
export { lastLine } from "./reply-line.js";
export type { EndingRecord, HistoryLine, LogLine, Refusal, RunRecord, RunReport } from "./types.js";
