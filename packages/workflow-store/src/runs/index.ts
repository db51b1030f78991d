export { barRun } from "./bar.js";
export { findRuns, readRunRecord, removeRun, stderrTail, stdoutTail, surveyRuns } from "./find.js";
export { newRun } from "./new-run.js";
export {
  doubtAbout,
  identityOf,
  isCopiedRun,
  lastSignOfLife,
  openRunFile,
  readPid,
  readWorkFolder,
  readWorkflowSource,
  releaseRun,
  runDirOf,
  runFileTail,
  threadRunsPath,
  writeWorkFolder,
  writeWorkflowSource,
} from "./paths.js";
export { readReport } from "./report.js";
export type { DamagedRun, FoundRun, RunDir } from "./types.js";
