export { identityOf } from "./identity.js";
export { parse } from "./parse.js";
export { step } from "./step.js";
export type { StepDeps, StepRequest } from "./types.js";
