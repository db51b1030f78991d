export { appendLine } from "./append.js";
export { errnoOf, errnoReason, guarded, ioFault } from "./io-fault.js";
export { isMissing, isNotRegular, openRegular, READ_PLAIN } from "./open.js";
export { fsyncDir, isLink, makeDir, refuseLink } from "./sync.js";
export { AT_ONCE, type CollectedSyncs, collectSyncs, type Syncs } from "./syncs.js";
export { isTemporaryName, temporaryPath, uniqueName, writerOf } from "./unique.js";
export { readWithin } from "./within.js";
export {
  createFileExclusive,
  linkNew,
  replaceFile,
  tryUnlink,
  type UnnamedFile,
  writeAll,
  writeDurably,
  writeFileAtomic,
  writeNewFile,
  writeUnnamed,
} from "./write.js";
