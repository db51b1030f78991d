export { barRun } from "./bar.js";
export { findRuns, readRunRecord, surveyRuns } from "./find.js";
export { newRun } from "./new-run.js";
export { runDirOf, threadRunsPath } from "./paths.js";
export { readPid } from "./pid.js";
export { removeRun } from "./remove.js";
export { readReport } from "./report.js";
export { stderrTail, stdoutTail } from "./tails.js";
export type { DamagedRun, FoundRun, NewRun, RunDir, RunProcess, SurveyedRuns } from "./types.js";
