export { sweepTemporaryFiles } from "./abandoned.js";
export { sweepDeadLocks } from "./dead-locks.js";
export { repairStore } from "./repair.js";
export type { RepairFigures, RepairOptions } from "./types.js";
