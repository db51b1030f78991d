export { pruneIndex, reindexStore } from "./reindex.js";
export type { ReindexFigures, StoreProblem, VerifyFigures } from "./types.js";
export { verifyStore } from "./verify.js";
