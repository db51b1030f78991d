export type { WalkOptions, WalkVisit } from "./walk.js";
export { walk } from "./walk.js";
