export {
  claimForArchive,
  claimThread,
  isHeldByUs,
  readHolder,
  releaseClaim,
  threadsWithoutRuns,
  threadsWithRuns,
} from "./claim.js";
export { findThread, findThreadToChange, listThreads, openThreadList } from "./find.js";
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
export { clearStuck, readStuck, type Unlocked, unlockIndex, unlockThread, writeStuck } from "./unlock.js";
