export { decide } from "./decide.js";
export { explain } from "./explain.js";
export type { Decision, ExplainedTransition, Explanation, TriedTransition } from "./types.js";
export { stepsNeeded } from "./window.js";
