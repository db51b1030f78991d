export { isLate, isRecordedStep, type Reason, reasonOf, UNKNOWN } from "./facts.js";
export { openEventLines } from "./lines.js";
export { openProgress } from "./open.js";
export type { Progress, Shown, StepFacts, WatchedDeps } from "./types.js";
export { stepLine } from "./words.js";
