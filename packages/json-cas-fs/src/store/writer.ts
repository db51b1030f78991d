export { openBatch } from "./batch.js";
export { putInto } from "./write.js";
