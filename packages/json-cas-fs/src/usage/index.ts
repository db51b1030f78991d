export type { Usage, UsageFigures, UsageOf } from "./types.js";
export { createUsage } from "./usage.js";
