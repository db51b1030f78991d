export { readFailedRuns } from "./failed-runs.js";
export { readFailedUsage } from "./failed-usage.js";
export { newestLogTime } from "./newest.js";
export { type LogCut, logDayOf, logDays, logOffset, readLogDay } from "./read.js";
export { isRunLogged } from "./run-logged.js";
export type { FailedRuns, FailedRunUsage, LogDay, LogEntry, LogQuery } from "./types.js";
