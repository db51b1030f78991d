export { type AssembledWorkflow, assembledOf, assembleWorkflow } from "./assemble.js";
export { checkWorkflowFile } from "./check.js";
export { resolveWorkflow } from "./resolve.js";
export { storeWorkflow } from "./store.js";
export type { CheckedWorkflow, ResolvedWorkflow } from "./types.js";
