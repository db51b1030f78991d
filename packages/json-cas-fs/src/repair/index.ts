export { sweepTemporaryFiles } from "./abandoned.js";
export { repairStore } from "./repair.js";
export type { RepairFigures } from "./types.js";
