export { FARTHEST, stepsOfThread } from "./own-steps.js";
export { promptAfter, promptSince } from "./prompt-since.js";
export { sessionUsage } from "./session-usage.js";
export type { Visit } from "./types.js";
export { findVisit, ownSession, sessionAt } from "./visit.js";
