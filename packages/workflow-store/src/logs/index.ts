export { readFailedRuns } from "./failed-runs.js";
export { readFailedSessions } from "./failed-sessions.js";
export { readFailedUsage } from "./failed-usage.js";
export { newestLogTime } from "./newest.js";
export { type LogCut, logDayOf, logDays, logOffset, readLogDay } from "./read.js";
export { isRunLogged } from "./run-logged.js";
export type { FailedRuns, FailedRunUsage, FailedSession, LogDay, LogEntry, LogQuery } from "./types.js";
