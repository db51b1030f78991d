export {
  addKeyedThread,
  appendChildren,
  appendKey,
  CHILD,
  type ChildOf,
  descendantsOf,
  type Family,
  findKeyedThread,
  hasPlace,
  isNews,
  linkChild,
  readFamily,
  readParents,
} from "./children.js";
export {
  type Claim,
  claimThread,
  isHeldByUs,
  readHolder,
  releaseClaim,
  threadsWithRuns,
} from "./claim.js";
export { findThread, LATEST, listThreads, openThreadList } from "./find.js";
export {
  arrivedAt,
  configStamp,
  findBlocker,
  findHeld,
  giveToRemote,
  limitsStamp,
  markRemote,
  pauseThread,
  readWaiting,
  resumeThread,
  stillWaits,
  writeWaiting,
} from "./hold.js";
export { addNote, dropNotes, giveNotes, notesOfRun, readNotes } from "./notes.js";
export { removeThreads, sweepRootLitter } from "./remove.js";
export {
  addSpent,
  changeLimits,
  costOf,
  playsByThreads,
  readAllSpent,
  readSpent,
  spentInHistory,
  startSpending,
} from "./spending.js";
export { addSuccessor, adoptChildren } from "./successor.js";
export type { EndedThread, ListedThread, ThreadList, ThreadState } from "./types.js";
