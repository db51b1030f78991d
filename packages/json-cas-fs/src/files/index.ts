export { appendLine, openAppendOnly } from "./append.js";
export {
  errnoOf,
  errnoReason,
  guarded,
  ioFault,
  isMissing,
  isNotRegular,
  isTemporaryName,
  openRegular,
  READ_PLAIN,
  readWithin,
  temporaryPath,
  uniqueName,
  writerOf,
} from "./open.js";
export { syncStdout, writeOut, writeStderr, writeStdout } from "./output.js";
export { AT_ONCE, collectSyncs, fsyncDir, isLink, makeDir, refuseLink, type Syncs } from "./sync.js";
export {
  createFileExclusive,
  DEFAULT_MODE,
  linkNew,
  removeIfThere,
  replaceFile,
  tryUnlink,
  type UnnamedFile,
  writeAll,
  writeDurably,
  writeFileAtomic,
  writeFileHere,
  writeNewFile,
  writeUnnamed,
} from "./write.js";
