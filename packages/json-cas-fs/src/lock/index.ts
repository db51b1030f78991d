export { asPlace, identifyFolder, isCopied } from "./folder-identity.js";
export { classifyHolder, describeHolder, explainHolder, explainOrigin, isProvedAlive } from "./judge.js";
export { acquireLock, releaseLock, tryLock } from "./lock.js";
export {
  bootId,
  bootTime,
  livingStartTime,
  machineId,
  pidNamespace,
  processStartTime,
  processState,
} from "./machine.js";
export { ownOrigin, ownRecord, readLock } from "./record.js";
export type {
  FolderIdentity,
  FoundLock,
  Judgement,
  Lock,
  LockBusy,
  LockRecord,
  Made,
  Origin,
  Verdict,
} from "./types.js";
