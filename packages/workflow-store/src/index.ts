export {
  admitThreads,
  asThreadEntry,
  type ThreadEntry,
  threadEntry,
} from "./admit-threads.js";
export { withAnswerFields } from "./answer.js";
export { archiveThread, logLeftRun } from "./archive.js";
export { attempt, attemptAsync } from "./attempt.js";
export {
  type Chain,
  createLazyContext,
  type LazyContext,
  type OpenHistory,
  openHistory,
  readChain,
  readContext,
  readStartNode,
  workflowOfHead,
} from "./chain.js";
export {
  type DotEnv,
  keyNames,
  type LoadedConfig,
  loadConfig,
  loadDotEnv,
  loadProjectConfig,
  loadThreadProject,
  type NotifyEvent,
  type ProjectConfig,
  readProjectEnv,
  redactorOf,
  type SandboxConfig,
  strangeWord,
  updateConfigFiles,
  type WorkflowConfig,
} from "./config/index.js";
export {
  costsNothing,
  expandDetail,
  type MissingPart,
  readReply,
  readSession,
  type SessionSummary,
  sessionUsageIn,
} from "./detail.js";
export {
  changedAt,
  findLocalWorkflow,
  findLocalWorkflows,
  type InspectedWorkflow,
  inspectWorkflowFile,
  inspectWorkflowText,
  nameOfFile,
  parseYamlDocument,
  readWorkflowFile,
  type WorkflowCheck,
} from "./documents/index.js";
export { readWorkingFile } from "./files.js";
export { createRootReader, oldestLiveRun, placeOfRoot } from "./gc-roots.js";
export {
  addThread,
  advanceHead,
  readHead,
  readHeads,
  stillHeld,
  withdrawThread,
  writeEnding,
} from "./heads.js";
export { readHistory } from "./history.js";
export { type FullHistory, fullHistory, knownPast } from "./history-cache.js";
export {
  asOnlyWorker,
  indexLockPath,
  type LockFile,
  listLocks,
  type Unlocked,
  unlock,
  withIndexLock,
} from "./locks.js";
export {
  isRunLogged,
  type ReportedSession,
  readFailedHeads,
  readFailedRuns,
  readReportedSessions,
  readRunLines,
} from "./logged-runs.js";
export {
  copyLog,
  type LogDay,
  type LogEntry,
  type LogQuery,
  logDayOf,
  logDays,
  logOffset,
  newestLogTime,
  readLogDay,
} from "./logs.js";
export {
  type ChainNode,
  ensureTypes,
  putNode,
  readChainNode,
  readNode,
  readOutput,
  type StepNode,
  storedWorkflow,
  TYPE,
} from "./nodes.js";
export { copiedSince, ownRoot, readSeal } from "./own-root.js";
export { inspectRoot, type RootLook, tryWriting, unwritablePaths } from "./probe.js";
export {
  type BrokenInThread,
  brokenInThreads,
  brokenReferences,
  recordedIn,
} from "./references.js";
export { authoredMeta, readRegistry, readRegistryHistory, setRegistry } from "./registry.js";
export {
  encodedNodes,
  hasWorkspace,
  knownTypes,
  linkChildren,
  makeWorkspace,
  type PlacedThread,
  placeThread,
  refuseOurs,
  repositoryFolder,
  storeEncoded,
} from "./remote-copy.js";
export {
  doubtAbout,
  type FoundRun,
  identityOf,
  isCopiedRun,
  lastSignOfLife,
  openRunFile,
  type RunDir,
  readPid,
  releaseRun,
  runDirOf,
  threadRunsPath,
} from "./run-dir.js";
export { readReport } from "./run-report.js";
export {
  barRun,
  findRuns,
  newRun,
  readRunRecord,
  removeRun,
  stderrTail,
  stdoutTail,
  surveyRuns,
} from "./runs.js";
export { configSchema, workflowSchema } from "./schemas.js";
export {
  checkTrust,
  olderRoot,
  openStorage,
  resolveStorageRoot,
  type Storage,
  storeWriter,
} from "./storage.js";
export { type NewFile, newFile, putFile, readStoredFile, type StoredFile } from "./stored-file.js";
export {
  asWaiting,
  isOnRemote,
  readHold,
  readStuck,
  readThreadRecord,
  readWorkFolder,
  writeThreadRecord,
} from "./thread-records.js";
export {
  addKeyedThread,
  addNote,
  addSpent,
  addSuccessor,
  adoptChildren,
  arrivedAt,
  type ChildOf,
  type Claim,
  changeLimits,
  claimThread,
  configStamp,
  costOf,
  descendantsOf,
  dropNotes,
  type EndedThread,
  type Family,
  findBlocker,
  findHeld,
  findKeyedThread,
  findThread,
  giveNotes,
  giveToRemote,
  isHeldByUs,
  LATEST,
  type ListedThread,
  limitsStamp,
  listThreads,
  notesOfRun,
  openThreadList,
  pauseThread,
  playsByThreads,
  readAllSpent,
  readFamily,
  readHolder,
  readNotes,
  readParents,
  readSpent,
  readWaiting,
  releaseClaim,
  removeThreads,
  resumeThread,
  spentInHistory,
  startSpending,
  stillWaits,
  sweepRootLitter,
  type ThreadList,
  type ThreadState,
  threadsWithRuns,
  writeWaiting,
} from "./threads/index.js";
export { verifyStep } from "./verify.js";
