export { openThread } from "./open.js";
export { allSteps, stepsBackwards } from "./steps.js";
export type { OpenThread } from "./types.js";
