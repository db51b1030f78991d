export { brokenReferences } from "./broken.js";
export { recordedIn } from "./earlier.js";
export { type BrokenInThread, type BrokenInThreads, brokenInThreads } from "./threads.js";
export type { BrokenReference, LookOptions, Top } from "./types.js";
