export type { CheckedStep, StepExpectation } from "./types.js";
export { verifyStep } from "./verify-step.js";
