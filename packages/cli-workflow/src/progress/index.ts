export type { Progress, Shown, StepFacts, WatchedDeps } from "./facts.js";
export { isLate, isRecordedStep, type Reason, reasonOf, UNKNOWN } from "./facts.js";
export { openEventLines } from "./lines.js";
export { openProgress } from "./live.js";
export { stepLine } from "./plain.js";
