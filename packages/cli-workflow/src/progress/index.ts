export { openProgress } from "./open.js";
export type { LastWord, Progress, Shown, StepFacts, WatchedDeps } from "./types.js";
export { stepLine } from "./words.js";
