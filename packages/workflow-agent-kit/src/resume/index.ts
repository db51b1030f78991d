export { FARTHEST, stepsOfThread } from "./own-steps.js";
export { promptSince } from "./prompt-since.js";
export { sessionUsage } from "./session-usage.js";
export type { Visit } from "./types.js";
export { findVisit, sessionAt } from "./visit.js";
