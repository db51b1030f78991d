export { readFailedRuns, readFailedSessions, readFailedUsage } from "./failed.js";
export { isRunLogged, type LogCut, logDayOf, logDays, logOffset, newestLogTime, readLogDay } from "./read.js";
export type { FailedRuns, FailedRunUsage, FailedSession, LogDay, LogEntry, LogQuery } from "./types.js";
