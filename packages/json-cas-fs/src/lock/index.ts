export { describeHolder, explainHolder, explainOrigin, isProvedAlive, judgeHolder } from "./judge.js";
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
export { asPlace, isCopied, placeOf } from "./place.js";
export { ownOrigin, ownRecord, readLock } from "./record.js";
export type {
  FoundLock,
  Judgement,
  Lock,
  LockBusy,
  LockRecord,
  Made,
  Origin,
  Place,
  Verdict,
} from "./types.js";
