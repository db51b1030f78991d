export { acquireLock } from "./acquire.js";
export { describeHolder, judgeHolder } from "./judge.js";
export { releaseLock, tryLock } from "./lock.js";
export { bootId, bootTime, livingStartTime, pidNamespace, processStartTime, processState } from "./proc.js";
export { ownRecord, readLock } from "./record.js";
export type { Judgement, Lock, LockBusy, LockRecord } from "./types.js";
