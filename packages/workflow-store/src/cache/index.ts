export { forgetHistory, knownPast } from "./files.js";
export type { CachedStorage, CacheLocation, Kept, KnownPast, SeenStep, WholeHistory } from "./format.js";
export { type FullHistory, fullHistory } from "./full-history.js";
export { keepSteps, wholeHistory } from "./keep.js";
