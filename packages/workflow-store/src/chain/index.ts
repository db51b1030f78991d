export { contextOf } from "./context.js";
export { linearise } from "./linearise.js";
export type { Chain } from "./types.js";
export { workflowOfHead } from "./workflow-of-head.js";
