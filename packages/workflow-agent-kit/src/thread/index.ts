export { attemptsOf } from "./attempts.js";
export { openThread } from "./open.js";
export { allSteps, nodesBackwards, promptSteps, type Tip } from "./steps.js";
export type { OpenThread, Self } from "./types.js";
