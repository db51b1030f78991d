export { forgetHistory, knownPast } from "./files.js";
export type { CachedStorage, CachePlace, Kept, KnownPast, SeenStep, WholeHistory } from "./format.js";
export { keepSteps, wholeHistory } from "./keep.js";
