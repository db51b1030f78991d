export { claimThread, forceUnlock, readHolder, releaseClaim } from "./claim.js";
export { findThread } from "./find.js";
export { listThreads } from "./list.js";
export type { ActiveThread, Claim, EndedThread, ThreadState } from "./types.js";
