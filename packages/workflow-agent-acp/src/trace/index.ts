export { onlyAnswer, ownAnswer, usageOf } from "./own-answer.js";
export { createTrace, type OwnAnswer, type Trace } from "./trace.js";
