export { adoptChildren } from "./adopt.js";
export {
  addKeyedThread,
  asChildLine,
  type ChildOf,
  descendantsOf,
  type Family,
  findKeyedThread,
  hasPlace,
  linkChild,
  linkChildren,
  readFamily,
  readParents,
} from "./children.js";
export {
  claimForArchive,
  claimThread,
  isHeldByUs,
  readHolder,
  releaseClaim,
  threadsWithoutRuns,
  threadsWithRuns,
} from "./claim.js";
export { findThread, findThreadToChange, findThreadToEnd, listThreads, openThreadList } from "./find.js";
export {
  arrivedAt,
  asWaiting,
  configStamp,
  findBlocker,
  findHeld,
  giveToRemote,
  limitsStamp,
  markRemote,
  pauseThread,
  readHold,
  readWaiting,
  resumeThread,
  stillWaits,
  writeHold,
  writeWaiting,
} from "./hold.js";
export { appendKey } from "./keys.js";
export { LATEST } from "./latest.js";
export { readLimits, writeLimits } from "./limits.js";
export { addNote, dropNotes, giveNotes, notesOfRun, readNotes } from "./notes.js";
export { refuseOurs } from "./ours.js";
export { removeThreads } from "./remove.js";
export {
  addSpent,
  changeLimits,
  costOf,
  keepsSpent,
  playsByThreads,
  readAllSpent,
  readSpent,
  spentInHistory,
  startSpending,
} from "./spending.js";
export { addSuccessor } from "./successor.js";
export type { Claim, EndedThread, ListedThread, ThreadList, ThreadState } from "./types.js";
export { clearStuck, readStuck, type Unlocked, unlockIndex, unlockThread, writeStuck } from "./unlock.js";
