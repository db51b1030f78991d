export { type Batches, inBatches } from "./batches.js";
export { type Collector, createCollector, plainLine, plainText } from "./collect.js";
