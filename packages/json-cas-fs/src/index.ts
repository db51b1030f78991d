/// <reference types="node" preserve="true" />
export {
  appendLine,
  createFileExclusive,
  errnoOf,
  fsyncDir,
  ioFault,
  isLink,
  isMissing,
  isNotRegular,
  isTemporaryName,
  makeDir,
  openRegular,
  readWithin,
  refuseLink,
  replaceFile,
  temporaryPath,
  uniqueName,
  writeDurably,
  writeFileAtomic,
  writeNewFile,
  writeOut,
} from "./files/index.js";
export { collectGarbage, type GcFigures, type GcOptions, type Root, type RootSource } from "./gc/index.js";
export type { Trouble } from "./graph/index.js";
export {
  acquireLock,
  bootId,
  bootTime,
  describeHolder,
  explainHolder,
  explainOrigin,
  isProvedAlive,
  type Judgement,
  judgeHolder,
  type Lock,
  type LockBusy,
  type LockRecord,
  livingStartTime,
  machineId,
  type Origin,
  ownOrigin,
  ownRecord,
  pidNamespace,
  processStartTime,
  processState,
  readLock,
  releaseLock,
  tryLock,
  type Verdict,
} from "./lock/index.js";
export { type PackFigures, type PackOptions, packStore } from "./pack-store.js";
export {
  type RepairFigures,
  type RepairOptions,
  repairStore,
  sweepDeadLocks,
  sweepTemporaryFiles,
} from "./repair.js";
export {
  createFsStore,
  type FsStore,
  type FsStoreOptions,
  fsStoreFile,
  listTypes,
  type SoundNode,
  writtenBy,
} from "./store/index.js";
export {
  type CheckedExport,
  type ExportEntry,
  type ExportFigures,
  ExportFileError,
  exportNodes,
  importNodes,
  importRoot,
  isAllThere,
  openExport,
  type RootFigures,
} from "./transfer/index.js";
export { createUsage, type Usage, type UsageFigures, type UsageOf } from "./usage.js";
export {
  type ReindexFigures,
  reindexStore,
  type StoreProblem,
  type VerifyFigures,
  verifyStore,
} from "./verify/index.js";
