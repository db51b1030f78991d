export { interleave, median } from "./interleave.js";
export type { Command, Figures, Subject } from "./types.js";
