export { readFailedRuns } from "./failed-runs.js";
export { logDayOf, logDays, readLogDay, readLogFrom } from "./read.js";
export type { FailedRun, FailedRuns, LogDay, LogEntry, LogQuery } from "./types.js";
