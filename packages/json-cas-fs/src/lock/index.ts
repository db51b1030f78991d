export {
  bootId,
  bootTime,
  describeHolder,
  explainHolder,
  explainOrigin,
  isProvedAlive,
  judgeHolder,
  livingStartTime,
  machineId,
  pidNamespace,
  processStartTime,
  processState,
} from "./judge.js";
export { acquireLock, releaseLock, tryLock } from "./lock.js";
export { ownOrigin, ownRecord, readLock } from "./record.js";
export type { Judgement, Lock, LockBusy, LockRecord, Origin, Verdict } from "./types.js";
