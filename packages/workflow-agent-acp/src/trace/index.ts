export { onlyAnswer, ownAnswer } from "./own-answer.js";
export { createTrace } from "./trace.js";
export type { OwnAnswer, ToolCall, Trace } from "./types.js";
export { usageOf } from "./usage.js";
