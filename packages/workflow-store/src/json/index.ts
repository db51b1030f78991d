export { isEpochMs, isReason, parseRecord } from "./record.js";
export { asUsage } from "./usage.js";
