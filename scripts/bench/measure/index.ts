export { interleave, median } from "./interleave.js";
export { runOnce } from "./run.js";
export type { Command, Figures, Subject } from "./types.js";
