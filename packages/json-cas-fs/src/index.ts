export {
  appendLine,
  createFileExclusive,
  errnoOf,
  fsyncDir,
  ioFault,
  isTemporaryName,
  makeDir,
  temporaryPath,
  uniqueName,
  writeFileAtomic,
} from "./files/index.js";
export {
  acquireLock,
  bootId,
  bootTime,
  describeHolder,
  type Judgement,
  judgeHolder,
  type Lock,
  type LockBusy,
  type LockRecord,
  livingStartTime,
  ownRecord,
  pidNamespace,
  processStartTime,
  processState,
  readLock,
  releaseLock,
  tryLock,
} from "./lock/index.js";
export { createFsStore, type FsStoreOptions, fsStoreFile, listTypes } from "./store/index.js";
export {
  type ReindexFigures,
  reindexStore,
  type StoreProblem,
  type VerifyFigures,
  verifyStore,
} from "./verify/index.js";
