export { readStepLine } from "./read.js";
export type { StepLine } from "./types.js";
