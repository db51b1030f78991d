export { createTrace } from "./trace.js";
export type { ToolCall, Trace } from "./types.js";
export { usageOf } from "./usage.js";
