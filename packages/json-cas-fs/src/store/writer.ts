export { openBatch } from "./batch.js";
export { putInto } from "./put.js";
