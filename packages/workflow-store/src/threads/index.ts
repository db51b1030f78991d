export { describeHolder, explainHolder, isProvedAlive, judgeHolder } from "@uncaged/json-cas-fs";
export { claimForArchive, claimThread, releaseClaim } from "./claim.js";
export { findThread, findThreadToChange } from "./find.js";
export { isHeldByUs, readHolder } from "./holder.js";
export { listThreads, openThreadList } from "./list.js";
export { clearStuck, readStuck, writeStuck } from "./stuck.js";
export type {
  ActiveThread,
  Claim,
  DamagedThread,
  EndedThread,
  ListedThread,
  StandingThread,
  ThreadList,
  ThreadState,
} from "./types.js";
export { type Unlocked, unlockIndex, unlockThread } from "./unlock.js";
export { threadsWithoutRuns, threadsWithRuns } from "./with-runs.js";
