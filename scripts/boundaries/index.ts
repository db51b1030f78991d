export { checkBoundaries } from "./check.js";
export { BUILT_IN, EDGES, LAZY, type Permission, UNSEEN_DEPENDENCIES } from "./tables.js";
export type { Tables } from "./types.js";
