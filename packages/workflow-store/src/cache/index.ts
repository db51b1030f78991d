export { forgetHistory, knownPast } from "./files.js";
export type { CachedStorage, SeenStep, WholeHistory } from "./format.js";
export { type FullHistory, fullHistory } from "./full-history.js";
export { cacheSteps, wholeHistory } from "./keep.js";
