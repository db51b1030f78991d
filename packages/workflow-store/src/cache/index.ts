export { forgetHistory } from "./forget.js";
export { keepSteps } from "./keep.js";
export { knownPast } from "./past.js";
export type { CachedStorage, CachePlace, Kept, KnownPast, SeenStep, WholeHistory } from "./types.js";
export { wholeHistory } from "./whole.js";
