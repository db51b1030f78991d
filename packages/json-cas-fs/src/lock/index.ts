export { acquireLock } from "./acquire.js";
export { describeHolder, explainHolder, explainOrigin, isProvedAlive, judgeHolder } from "./judge.js";
export { releaseLock, tryLock } from "./lock.js";
export {
  bootId,
  bootTime,
  livingStartTime,
  machineId,
  pidNamespace,
  processStartTime,
  processState,
} from "./proc.js";
export { ownOrigin, ownRecord, readLock } from "./record.js";
export type { Judgement, Lock, LockBusy, LockRecord, Origin, Verdict } from "./types.js";
