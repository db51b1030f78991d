export { pruneIndex, reindexStore } from "./reindex.js";
export { repairStore, sweepDeadLocks, sweepTemporaryFiles } from "./repair.js";
export { type StoreProblem, verifyStore } from "./verify.js";
