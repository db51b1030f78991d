export type { StepExpectation } from "./types.js";
export { verifyStep } from "./verify-step.js";
