export { pruneIndex, type ReindexFigures, reindexStore } from "./reindex.js";
export { type StoreProblem, type VerifyFigures, verifyStore } from "./verify.js";
