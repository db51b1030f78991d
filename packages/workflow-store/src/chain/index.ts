export { contextOf, type LazyContext, lazyContextOf } from "./context.js";
export { openHistory } from "./history.js";
export { linearise } from "./linearise.js";
export { readStartOf, workflowOfHead } from "./start-of.js";
export type { Chain, OpenHistory } from "./types.js";
