export type { OpenThread, Self } from "./environment.js";
export { openThread } from "./open.js";
export { allSteps, attemptsOf, nodesBackwards, promptSteps, type Tip } from "./steps.js";
