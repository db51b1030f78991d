export { FARTHEST, stepsOfThread } from "./own-steps.js";
export { promptSince } from "./prompt-since.js";
export { sessionUsage } from "./session-usage.js";
export type { Self, Visit } from "./types.js";
export { findVisit, ownSession, sessionAt } from "./visit.js";
