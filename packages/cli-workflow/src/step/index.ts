export { decideBy } from "./decide.js";
export { runsToEnd } from "./left-runs.js";
export { linearise } from "./linearise.js";
export { parse } from "./parse.js";
export { watchSignals } from "./signals.js";
export { step } from "./step.js";
export { takeStep } from "./take.js";
export type { RawStepRequest, StepDeps, StepRequest } from "./types.js";
export { readWhole } from "./whole.js";
