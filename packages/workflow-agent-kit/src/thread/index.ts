export { openThread } from "./open.js";
export { allSteps, nodesBackwards, promptSteps } from "./steps.js";
export type { OpenThread } from "./types.js";
