export { brokenReferences } from "./broken.js";
export { recordedIn } from "./earlier.js";
export type { BrokenReference, LookOptions, Top } from "./types.js";
