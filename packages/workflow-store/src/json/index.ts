export { isEpochMs, isReason, parseList, parseRecord } from "./record.js";
export { asUsage } from "./usage.js";
