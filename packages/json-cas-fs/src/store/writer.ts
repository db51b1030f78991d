export { openBatch } from "./batch.js";
export { mergePacks } from "./merge.js";
export { putInto } from "./write.js";
