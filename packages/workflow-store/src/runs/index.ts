export { findRuns, readRunRecord, removeRun, stderrTail, stdoutTail, surveyRuns } from "./find.js";
export { barRun, newRun } from "./new-run.js";
export {
  doubtAbout,
  identityOf,
  isCopiedRun,
  lastSignOfLife,
  openRunFile,
  readPid,
  releaseRun,
  runDirOf,
  runFileTail,
  threadRunsPath,
} from "./paths.js";
export { readReport } from "./report.js";
export {
  type RecordShape,
  readThreadRecord,
  removeThreadFile,
  threadFilePath,
  writeThreadFile,
  writeThreadRecord,
} from "./thread-file.js";
export type { DamagedRun, FoundRun, RunDir } from "./types.js";
export { readWorkFolder, readWorkflowSource, writeWorkFolder, writeWorkflowSource } from "./work-folder.js";
