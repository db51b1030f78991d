export type { OpenThread, Self } from "./environment.js";
export { openThread } from "./open.js";
export { allSteps, attemptsOf, nodesBackwards, notesFor, promptSteps, type Tip } from "./steps.js";
