export { acquireLock } from "./acquire.js";
export { describeHolder, explainHolder, judgeHolder } from "./judge.js";
export { releaseLock, tryLock } from "./lock.js";
export { bootId, bootTime, livingStartTime, pidNamespace, processStartTime, processState } from "./proc.js";
export { ownRecord, readLock } from "./record.js";
export type { Judgement, Lock, LockBusy, LockRecord, Verdict } from "./types.js";
